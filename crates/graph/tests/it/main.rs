//! Tests of the public API: text in; a graph, problems or an edited text out.

#[cfg(test)]
mod additions;
#[cfg(test)]
mod consent_graph;
#[cfg(test)]
mod diff;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod lint;
#[cfg(test)]
mod personal;
#[cfg(test)]
mod place_lists;
#[cfg(test)]
mod places;
#[cfg(test)]
mod policies;
#[cfg(test)]
mod presets;
#[cfg(test)]
mod reading_commands;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod review;
#[cfg(test)]
#[cfg(test)]
mod shipped;
#[cfg(test)]
mod spans;
#[cfg(test)]
mod tool_rules;
