//! The amount that a call pays, in the minor units of its currency, such as cents.
//!
//! The tool's mapping points to the argument, which people write in whole units. A number that is
//! negative, finer than the currency, or that two programs could read differently is unreadable.

use countersign_core::model::call::Call;
use countersign_core::model::graph::Graph;
use countersign_graph::policies::facts::{AmountFacts, Fact};
use serde_json::{Map, Value};

/// Decimal digits of the currencies that do not have two.
const OTHER_DIGITS: &[(u32, &[&str])] = &[
    (
        0,
        &[
            "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND",
            "VUV", "XAF", "XOF", "XPF",
        ],
    ),
    (3, &["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]),
];

/// Currencies with two decimal digits.
const TWO_DIGITS: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN \
    BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD \
    GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD \
    MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB \
    SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU \
    UZS VES WST XCD YER ZAR ZMW";

/// Keys of an object with an amount and a currency.
const AMOUNT_KEYS: &[&str] = &["amount", "value"];
const CURRENCY_KEYS: &[&str] = &["currency", "currency_code"];

pub(super) fn read_amount(graph: &Graph, call: &Call) -> Fact<AmountFacts> {
    let mapping = call.tool.as_ref().and_then(|tool| graph.tool(tool.as_str()));
    let Some(pointer) = mapping.and_then(|mapping| mapping.amount.as_deref()) else {
        return Fact::Absent;
    };
    match call.args.pointer(pointer) {
        None | Some(Value::Null) => Fact::Absent,
        Some(value) => {
            let parent = pointer.rsplit_once('/').and_then(|(parent, _)| call.args.pointer(parent));
            match parse_amount(value, parent.and_then(Value::as_object)) {
                Some(facts) => Fact::Known(facts),
                None => Fact::Unreadable(format!("`{value}` is not an amount in minor units")),
            }
        }
    }
}

/// The currency is in the value, or in a field of its parent object. If both name one, they must
/// agree.
fn parse_amount(value: &Value, parent: Option<&Map<String, Value>>) -> Option<AmountFacts> {
    let outer = parent.map_or(Ok(None), find_currency).ok()?;
    let (number, inner) = match value {
        Value::Number(number) => (number.to_string(), None),
        Value::String(text) => split_currency(text)?,
        Value::Object(fields) => {
            let amounts = AMOUNT_KEYS.iter().filter_map(|key| fields.get(*key)).collect::<Vec<_>>();
            let [amount] = amounts.as_slice() else { return None };
            let number = match amount {
                Value::Number(number) => number.to_string(),
                Value::String(text) => text.clone(),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
            };
            (number, find_currency(fields).ok()?)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) => return None,
    };
    let currency = match (inner, outer) {
        (Some(inner), Some(outer)) if inner != outer => return None,
        (inner, outer) => inner.or(outer),
    };
    let digits = currency.as_deref().map_or(Some(2), decimal_digits)?;
    Some(AmountFacts { minor_units: parse_minor_units(&number, digits)?, currency })
}

/// The currency that an object names, in capitals; an error if it is not clear.
fn find_currency(fields: &Map<String, Value>) -> Result<Option<String>, ()> {
    let values = CURRENCY_KEYS.iter().filter_map(|key| fields.get(*key));
    match values.filter(|value| !value.is_null()).collect::<Vec<_>>().as_slice() {
        [] => Ok(None),
        [Value::String(text)] => Ok(Some(text.to_ascii_uppercase())),
        _ => Err(()),
    }
}

/// `12.50`, `12.50 EUR` or `EUR 12.50`.
fn split_currency(text: &str) -> Option<(String, Option<String>)> {
    let parts: Vec<_> = text.split_whitespace().collect();
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    match parts.as_slice() {
        [number] => Some(((*number).to_owned(), None)),
        [number, code] | [code, number] if is_number(number) => {
            Some(((*number).to_owned(), Some(code.to_ascii_uppercase())))
        }
        _ => None,
    }
}

/// The decimal digits of a currency; `None` for an unknown currency.
fn decimal_digits(currency: &str) -> Option<u32> {
    match OTHER_DIGITS.iter().find(|(_, codes)| codes.contains(&currency)) {
        Some((digits, _)) => Some(*digits),
        None => TWO_DIGITS.split_whitespace().any(|code| code == currency).then_some(2),
    }
}

fn parse_minor_units(number: &str, digits: u32) -> Option<i64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) || number.ends_with('.') {
        return None;
    }
    // `5.00` is whole even in a currency without decimal digits.
    let fraction = fraction.trim_end_matches('0');
    let zeros = digits.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let units: i64 = format!("{whole}{fraction}").parse().ok()?;
    units.checked_mul(10_i64.checked_pow(zeros)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(args: Value) -> Option<(i64, Option<String>)> {
        parse_amount(&args["a"], args.as_object()).map(|facts| (facts.minor_units, facts.currency))
    }

    #[test]
    fn an_amount_is_counted_in_minor_units_of_its_currency() {
        let eur = || Some("EUR".to_owned());
        for (args, expected) in [
            (json!({"a": 49}), (4900, None)),
            (json!({"a": 49.99}), (4999, None)),
            (json!({"a": 0.1}), (10, None)),
            (json!({"a": "49.90"}), (4990, None)),
            (json!({"a": "49.9 eur"}), (4990, eur())),
            (json!({"a": "EUR 50"}), (5000, eur())),
            (json!({"a": 50, "currency": "eur"}), (5000, eur())),
            (json!({"a": {"value": "1.5", "currency_code": "EUR"}}), (150, eur())),
            (json!({"a": {"amount": 7}, "currency": "EUR"}), (700, eur())),
            (json!({"a": "500 JPY"}), (500, Some("JPY".into()))),
            (json!({"a": "500.00 JPY"}), (500, Some("JPY".into()))),
            (json!({"a": "1.234 KWD"}), (1234, Some("KWD".into()))),
            (json!({"a": 92233720368547758_i64}), (9_223_372_036_854_775_800, None)),
        ] {
            assert_eq!(parse(args.clone()), Some(expected), "{args}");
        }
    }

    #[test]
    fn an_amount_that_is_negative_finer_than_its_currency_or_ambiguous_is_unreadable() {
        for args in [
            json!({"a": 49.999}),
            json!({"a": 0.1 + 0.2}),
            json!({"a": -5}),
            json!({"a": "-5"}),
            json!({"a": 1e30}),
            json!({"a": 92233720368547759_i64}),
            json!({"a": u64::MAX}),
            json!({"a": "1e3"}),
            json!({"a": "1,000.00"}),
            json!({"a": "12,50"}),
            json!({"a": "$12"}),
            json!({"a": "1.5 BTC"}),
            json!({"a": "0x10"}),
            json!({"a": ""}),
            json!({"a": "5."}),
            json!({"a": ".5"}),
            json!({"a": "0.5 JPY"}),
            json!({"a": "5 EUR", "currency": "USD"}),
            json!({"a": 5, "currency": 978}),
            json!({"a": 5, "currency": "EUR", "currency_code": "JPY"}),
            json!({"a": {"amount": 1, "value": 2}}),
            json!({"a": {"units": 5}}),
            json!({"a": [5]}),
            json!({"a": true}),
        ] {
            assert_eq!(parse(args.clone()), None, "{args}");
        }
    }
}
