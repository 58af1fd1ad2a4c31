//! The crate as its users see it: text in, a graph, problems or a stamped text out.

#[cfg(test)]
mod additions;
#[cfg(test)]
mod diff;
#[cfg(test)]
mod lint;
#[cfg(test)]
mod personal;
#[cfg(test)]
mod places;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod review;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod seed;
#[cfg(test)]
mod shipped;
