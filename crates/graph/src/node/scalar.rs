//! What a plain YAML scalar means: the core schema of YAML 1.2.
//!
//! `yes`, `no`, `on` and `off` are texts, as are dates.

use super::{Kind, integer};

/// `None` for a number that cannot be kept exactly.
pub(super) fn resolve(text: &str) -> Option<Kind> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Some(Kind::Null),
        "true" | "True" | "TRUE" => Some(Kind::Bool(true)),
        "false" | "False" | "FALSE" => Some(Kind::Bool(false)),
        ".nan" | ".NaN" | ".NAN" => Some(Kind::Float(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(Kind::Float(f64::INFINITY)),
        "-.inf" | "-.Inf" | "-.INF" => Some(Kind::Float(f64::NEG_INFINITY)),
        _ => number(text),
    }
}

fn number(text: &str) -> Option<Kind> {
    if let Some(digits) = text.strip_prefix("0x").filter(|d| all(d, u8::is_ascii_hexdigit)) {
        return integer(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o").filter(|d| all(d, |b| (b'0'..=b'7').contains(b)))
    {
        return integer(digits, 8);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if all(unsigned, u8::is_ascii_digit) {
        return integer(text, 10);
    }
    if is_float(unsigned) {
        return text.parse().ok().filter(|float: &f64| float.is_finite()).map(Kind::Float);
    }
    Some(Kind::String(text.to_owned()))
}

fn all(text: &str, wanted: impl Fn(&u8) -> bool) -> bool {
    !text.is_empty() && text.as_bytes().iter().all(wanted)
}

/// `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_float(text: &str) -> bool {
    let digits = |text: &str| all(text, u8::is_ascii_digit);
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
    fn numbers_and_words_of_the_core_schema_are_told_from_texts() {
        let string = |text: &str| Some(Kind::String(text.to_owned()));
        for (text, expected) in [
            ("", Some(Kind::Null)),
            ("~", Some(Kind::Null)),
            ("True", Some(Kind::Bool(true))),
            ("FALSE", Some(Kind::Bool(false))),
            ("12", Some(Kind::Int(12))),
            ("+15550100", Some(Kind::Int(15_550_100))),
            ("-7", Some(Kind::Int(-7))),
            ("007", Some(Kind::Int(7))),
            ("0x1F", Some(Kind::Int(31))),
            ("0o17", Some(Kind::Int(15))),
            ("1.5", Some(Kind::Float(1.5))),
            (".5", Some(Kind::Float(0.5))),
            ("1.", Some(Kind::Float(1.0))),
            ("-1e-3", Some(Kind::Float(-0.001))),
            ("-.inf", Some(Kind::Float(f64::NEG_INFINITY))),
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
            assert_eq!(resolve(text), expected, "{text}");
        }
        assert!(matches!(resolve(".nan"), Some(Kind::Float(float)) if float.is_nan()));
    }
}
