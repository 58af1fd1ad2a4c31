//! Resolves plain YAML scalars by the core schema of YAML 1.2.
//!
//! `yes`, `no`, `on`, `off` and dates are strings.

use super::{NodeValue, parse_integer};

/// `None` for a number that cannot be kept exactly.
pub(super) fn parse_scalar(text: &str) -> Option<NodeValue> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Some(NodeValue::Null),
        "true" | "True" | "TRUE" => Some(NodeValue::Bool(true)),
        "false" | "False" | "FALSE" => Some(NodeValue::Bool(false)),
        ".nan" | ".NaN" | ".NAN" => Some(NodeValue::Float(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            Some(NodeValue::Float(f64::INFINITY))
        }
        "-.inf" | "-.Inf" | "-.INF" => Some(NodeValue::Float(f64::NEG_INFINITY)),
        _ => parse_number(text),
    }
}

fn parse_number(text: &str) -> Option<NodeValue> {
    if let Some(digits) =
        text.strip_prefix("0x").filter(|d| is_nonempty_and_all(d, u8::is_ascii_hexdigit))
    {
        return parse_integer(digits, 16);
    }
    if let Some(digits) =
        text.strip_prefix("0o").filter(|d| is_nonempty_and_all(d, |b| (b'0'..=b'7').contains(b)))
    {
        return parse_integer(digits, 8);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if is_nonempty_and_all(unsigned, u8::is_ascii_digit) {
        return parse_integer(text, 10);
    }
    if is_float(unsigned) {
        return text.parse().ok().filter(|float: &f64| float.is_finite()).map(NodeValue::Float);
    }
    Some(NodeValue::String(text.to_owned()))
}

fn is_nonempty_and_all(text: &str, is_wanted: impl Fn(&u8) -> bool) -> bool {
    !text.is_empty() && text.as_bytes().iter().all(is_wanted)
}

/// `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_float(text: &str) -> bool {
    let digits = |text: &str| is_nonempty_and_all(text, u8::is_ascii_digit);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let mantissa_holds = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction),
        Some((whole, fraction)) => digits(whole) && (fraction.is_empty() || digits(fraction)),
        None => digits(mantissa),
    };
    mantissa_holds && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_are_resolved_by_the_core_schema() {
        let string = |text: &str| Some(NodeValue::String(text.to_owned()));
        for (text, expected) in [
            ("", Some(NodeValue::Null)),
            ("~", Some(NodeValue::Null)),
            ("True", Some(NodeValue::Bool(true))),
            ("FALSE", Some(NodeValue::Bool(false))),
            ("12", Some(NodeValue::Int(12))),
            ("+15550100", Some(NodeValue::Int(15_550_100))),
            ("-7", Some(NodeValue::Int(-7))),
            ("007", Some(NodeValue::Int(7))),
            ("0x1F", Some(NodeValue::Int(31))),
            ("0o17", Some(NodeValue::Int(15))),
            ("1.5", Some(NodeValue::Float(1.5))),
            (".5", Some(NodeValue::Float(0.5))),
            ("1.", Some(NodeValue::Float(1.0))),
            ("-1e-3", Some(NodeValue::Float(-0.001))),
            ("-.inf", Some(NodeValue::Float(f64::NEG_INFINITY))),
            ("18446744073709551616", None),
            ("1e999", None),
            ("yes", string("yes")),
            ("off", string("off")),
            ("2026-01-05", string("2026-01-05")),
            ("1_000", string("1_000")),
            ("0x", string("0x")),
            (".", string(".")),
            ("1e", string("1e")),
            ("e5", string("e5")),
            ("+", string("+")),
            ("inf", string("inf")),
            ("nan", string("nan")),
        ] {
            assert_eq!(parse_scalar(text), expected, "{text}");
        }
        assert!(matches!(parse_scalar(".nan"), Some(NodeValue::Float(float)) if float.is_nan()));
    }
}
