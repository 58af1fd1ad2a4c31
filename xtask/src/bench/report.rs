//! What was measured, for people as a Markdown table and for programs as JSON lines.
//!
//! Quiet and contended rounds stand apart. Times are shown, never judged.

use super::goals::Goal;
use super::machine_load::MachineLoad;
use super::rounds::Measured;
use super::statistics::Band;
use std::fmt::Write;

pub fn render_markdown(measured: &Measured, goals: &[Goal]) -> String {
    let quiet = measured.rounds_at(MachineLoad::Quiet).count();
    let contended = measured.rounds_at(MachineLoad::Contended).count();
    let mut text = format!(
        "## {}\n\n{quiet} quiet rounds, {contended} contended\n\n\
         | variant | quiet ns (20–80 %) | contended ns (20–80 %) |\n|---|---:|---:|\n",
        measured.suite
    );
    for (place, variant) in measured.variants.iter().enumerate() {
        let cell = |load| format_band(times(measured, place, load));
        let (quiet, contended) = (cell(MachineLoad::Quiet), cell(MachineLoad::Contended));
        push_line(&mut text, &format!("| {variant} | {quiet} | {contended} |"));
    }
    if !goals.is_empty() {
        push_line(&mut text, "\n| ratio | quiet median (20–80 %) | goal | |\n|---|---:|---:|---|");
    }
    for goal in goals {
        let band = format_band(Band::from_values(&goal.ratios(measured, MachineLoad::Quiet)));
        let judgement = goal.judge(measured);
        let Goal { over, under, bound } = goal;
        push_line(&mut text, &format!("| {over} / {under} | {band} | {bound} | {judgement} |"));
    }
    text
}

/// One line per round and variant: `{"suite", "variant", "round", "sky", "metric", "value"}`.
pub fn render_json_lines(measured: &Measured) -> String {
    let mut text = String::new();
    for (number, round) in (1..).zip(&measured.rounds) {
        for (variant, nanos) in measured.variants.iter().zip(&round.nanos) {
            let value = serde_json::json!({
                "suite": measured.suite,
                "variant": variant,
                "round": number,
                "sky": match round.load { MachineLoad::Quiet => "quiet", MachineLoad::Contended => "contended" },
                "metric": "ns",
                "value": nanos,
            });
            push_line(&mut text, &value.to_string());
        }
    }
    text
}

fn times(measured: &Measured, place: usize, load: MachineLoad) -> Option<Band> {
    let rounds = measured.rounds_at(load);
    Band::from_values(
        &rounds.filter_map(|round| round.nanos.get(place).copied()).collect::<Vec<_>>(),
    )
}

fn format_band(band: Option<Band>) -> String {
    match band {
        None => "–".to_owned(),
        Some(Band { low, median, high }) => {
            format!("{} ({}..{})", format_number(median), format_number(low), format_number(high))
        }
    }
}

/// Three digits that matter are enough for a number that changes with the load.
fn format_number(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

fn push_line(text: &mut String, line: &str) {
    // Writing to a String does not fail.
    let _infallible = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::goals::Bound;
    use crate::bench::rounds::Round;

    fn measured() -> Measured {
        let mut rounds = vec![Round { load: MachineLoad::Quiet, nanos: vec![150.0, 20.0] }; 9];
        rounds.push(Round { load: MachineLoad::Contended, nanos: vec![900.0, 60.5] });
        Measured { suite: "decide".into(), variants: vec!["ours", "limit"], rounds }
    }

    #[test]
    fn the_table_keeps_quiet_and_contended_apart() {
        let goal = Goal { over: "ours", under: "limit", bound: Bound::AtMost(10.0) };
        let expected = "\
## decide

9 quiet rounds, 1 contended

| variant | quiet ns (20–80 %) | contended ns (20–80 %) |
|---|---:|---:|
| ours | 150 (150..150) | 900 (900..900) |
| limit | 20.0 (20.0..20.0) | 60.5 (60.5..60.5) |

| ratio | quiet median (20–80 %) | goal | |
|---|---:|---:|---|
| ours / limit | 7.50 (7.50..7.50) | ≤ 10 | holds |
";
        assert_eq!(render_markdown(&measured(), &[goal]), expected);
    }

    #[test]
    fn every_round_and_variant_is_one_line_of_json() {
        let text = render_json_lines(&measured());
        assert_eq!(text.lines().count(), 20);
        let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        let expected = serde_json::json!({
            "suite": "decide", "variant": "limit", "round": 10,
            "sky": "contended", "metric": "ns", "value": 60.5,
        });
        assert_eq!(last, expected);
    }
}
