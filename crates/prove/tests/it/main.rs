//! Pairs of graphs with known results, random pairs, and unreliable solvers.

#[cfg(test)]
mod constraints;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod known_pairs;
#[cfg(test)]
mod random_pairs;
#[cfg(test)]
mod unreliable_solvers;
