//! Pairs of graphs with known answers, and solvers that cannot be relied on.

#[cfg(test)]
mod pairs;
#[cfg(test)]
mod possible;
#[cfg(test)]
mod random;
#[cfg(test)]
mod unreliable;
#[cfg(test)]
mod written;
