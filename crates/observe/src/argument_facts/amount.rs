//! What a call pays, in minor units: cents, or whatever a currency is divided into.
//!
//! The tool's mapping says where the amount stands, in whole units as people write it. A number
//! that is finer than the currency, negative, or written so that two readers would differ is
//! unreadable.

use countersign_core::model::call::Call;
use countersign_core::model::graph::Graph;
use countersign_graph::policies::facts::{AmountFacts, Fact};
use serde_json::{Map, Value};

/// Currencies that are not divided into hundredths, and by how many digits they are.
const DIGITS: &[(u32, &[&str])] = &[
    (
        0,
        &[
            "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND",
            "VUV", "XAF", "XOF", "XPF",
        ],
    ),
    (3, &["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]),
];

/// Currencies in hundredths.
const HUNDREDTHS: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN \
    BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD \
    GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD \
    MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB \
    SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU \
    UZS VES WST XCD YER ZAR ZMW";

/// Where an object keeps its amount and its currency.
const AMOUNTS: &[&str] = &["amount", "value"];
const CURRENCIES: &[&str] = &["currency", "currency_code"];

pub(super) fn of(graph: &Graph, call: &Call) -> Fact<AmountFacts> {
    let mapping = call.tool.as_ref().and_then(|tool| graph.tool(tool.as_str()));
    let Some(pointer) = mapping.and_then(|mapping| mapping.amount.as_deref()) else {
        return Fact::Absent;
    };
    match call.args.pointer(pointer) {
        None | Some(Value::Null) => Fact::Absent,
        Some(value) => {
            let beside = pointer.rsplit_once('/').and_then(|(above, _)| call.args.pointer(above));
            match read(value, beside.and_then(Value::as_object)) {
                Some(facts) => Fact::Known(facts),
                None => Fact::Unreadable(format!("`{value}` is no amount in whole minor units")),
            }
        }
    }
}

fn read(value: &Value, beside: Option<&Map<String, Value>>) -> Option<AmountFacts> {
    let beside = beside.map_or(Ok(None), currency_in).ok()?;
    let (number, within) = match value {
        Value::Number(number) => (number.to_string(), None),
        Value::String(text) => split(text)?,
        Value::Object(fields) => {
            let found = AMOUNTS.iter().filter_map(|key| fields.get(*key)).collect::<Vec<_>>();
            let [amount] = found.as_slice() else { return None };
            let number = match amount {
                Value::Number(number) => number.to_string(),
                Value::String(text) => text.clone(),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
            };
            (number, currency_in(fields).ok()?)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) => return None,
    };
    let currency = match (within, beside) {
        (Some(one), Some(other)) if one != other => return None,
        (Some(one), _) | (None, Some(one)) => Some(one),
        (None, None) => None,
    };
    let digits = currency.as_deref().map_or(Some(2), digits)?;
    Some(AmountFacts { minor_units: minor_units(&number, digits)?, currency })
}

/// The currency that an object names, in capitals. An error where it cannot be read.
fn currency_in(fields: &Map<String, Value>) -> Result<Option<String>, ()> {
    let named =
        CURRENCIES.iter().filter_map(|key| fields.get(*key)).filter(|value| !value.is_null());
    match named.collect::<Vec<_>>().as_slice() {
        [] => Ok(None),
        [Value::String(text)] => Ok(Some(text.to_ascii_uppercase())),
        _ => Err(()),
    }
}

/// `12.50`, `12.50 EUR` or `EUR 12.50`.
fn split(text: &str) -> Option<(String, Option<String>)> {
    let parts: Vec<_> = text.split_whitespace().collect();
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    match parts.as_slice() {
        [number] => Some(((*number).to_owned(), None)),
        [number, code] if is_number(number) => {
            Some(((*number).to_owned(), Some(code.to_ascii_uppercase())))
        }
        [code, number] if is_number(number) => {
            Some(((*number).to_owned(), Some(code.to_ascii_uppercase())))
        }
        _ => None,
    }
}

/// How many digits a currency has behind its point; none for what is no currency.
fn digits(currency: &str) -> Option<u32> {
    let special = DIGITS.iter().find(|(_, codes)| codes.contains(&currency));
    match special {
        Some((digits, _)) => Some(*digits),
        None => HUNDREDTHS.split_whitespace().any(|code| code == currency).then_some(2),
    }
}

/// A decimal number, counted in units of its last digit that counts.
fn minor_units(number: &str, digits: u32) -> Option<i64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !is_plain(whole) || !is_plain(fraction) || number.ends_with('.') {
        return None;
    }
    // `5.00` is as exact in a currency without hundredths as `5`.
    let fraction = fraction.trim_end_matches('0');
    let missing = digits.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let units: i64 = format!("{whole}{fraction}").parse().ok()?;
    units.checked_mul(10_i64.checked_pow(missing)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(args: Value) -> Option<(i64, Option<String>)> {
        read(&args["a"], args.as_object()).map(|facts| (facts.minor_units, facts.currency))
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
            assert_eq!(found(args.clone()), Some(expected), "{args}");
        }
    }

    #[test]
    fn what_is_finer_negative_or_can_be_read_in_two_ways_is_unreadable() {
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
            assert_eq!(found(args.clone()), None, "{args}");
        }
    }
}
