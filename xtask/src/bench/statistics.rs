//! Medians and bands. Nothing here knows what was measured.

/// The value below which this share of the values lies, between two values in proportion.
/// None of no values, or if one of them is not a number.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    if values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share.clamp(0.0, 1.0) * (sorted.len().checked_sub(1)? as f64);
    let below = *sorted.get(place.floor() as usize)?;
    let above = *sorted.get(place.ceil() as usize)?;
    Some(below + (above - below) * place.fract())
}

/// The median with the band that holds the middle three fifths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Band {
    pub fn from_values(values: &[f64]) -> Option<Self> {
        Some(Self {
            low: quantile(values, 0.2)?,
            median: quantile(values, 0.5)?,
            high: quantile(values, 0.8)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_lies_between_its_neighbours() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(quantile(&values, 0.0), Some(1.0));
        assert_eq!(quantile(&values, 0.5), Some(2.5));
        assert_eq!(quantile(&values, 1.0), Some(4.0));
        assert_eq!(quantile(&[7.0], 0.99), Some(7.0));
    }

    #[test]
    fn nothing_and_what_is_not_a_number_have_no_quantile() {
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[1.0, f64::NAN], 0.5), None);
    }

    #[test]
    fn one_wild_value_does_not_move_the_band() {
        let mut values: Vec<f64> = (1..=11).map(f64::from).collect();
        values[10] = 1e9;
        assert_eq!(Band::from_values(&values), Some(Band { low: 3.0, median: 6.0, high: 9.0 }));
    }
}
