//! Numbers as they are written: exact decimals. Start from [`Decimal::of`].
//!
//! Comparing and dividing floats directly says that 0.3 is no multiple of 0.1 and that 2^53 + 1 is at most 2^53.
//! A float is therefore taken as its shortest decimal, which is what the author wrote, and all answers are exact.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use serde_json::Number;

/// Digits of the longest `u64`; both sides of a comparison are widened to it.
const WIDTH: u32 = 20;

/// `digits * 10^exponent`, with no trailing zero in `digits`, so that equal numbers have equal fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    negative: bool,
    digits: u64,
    exponent: i32,
}

impl Decimal {
    pub(super) fn of(number: &Number) -> Decimal {
        if let Some(whole) = number.as_u64() {
            return Decimal::new(false, whole, 0);
        }
        if let Some(whole) = number.as_i64() {
            return Decimal::new(whole < 0, whole.unsigned_abs(), 0);
        }
        // A number beyond every float compares as the largest one.
        let float = number.as_f64().filter(|float| float.is_finite()).unwrap_or(f64::MAX);
        Decimal::of_float(float)
    }

    pub(super) fn is_integer(self) -> bool {
        self.exponent >= 0
    }

    pub(super) fn is_positive(self) -> bool {
        !self.negative && self.digits > 0
    }

    /// The value as a count, if it is a whole number that fits.
    pub(super) fn as_count(self) -> Option<u64> {
        if self.negative {
            return None;
        }
        let scale = 10u64.checked_pow(u32::try_from(self.exponent).ok()?)?;
        self.digits.checked_mul(scale)
    }

    /// Whether `self / step` is a whole number. A step of zero divides nothing.
    pub(super) fn is_multiple_of(self, step: Decimal) -> bool {
        if step.digits == 0 {
            return false;
        }
        if self.digits == 0 {
            return true;
        }
        let (digits, modulus) = (u128::from(self.digits), u128::from(step.digits));
        match u32::try_from(i64::from(self.exponent) - i64::from(step.exponent)) {
            Ok(shift) => (digits % modulus * power_of_ten(shift, modulus)).is_multiple_of(modulus),
            // The step has more zeros at its end than the value, whose last digit is not zero.
            Err(_) => false,
        }
    }

    fn new(negative: bool, mut digits: u64, mut exponent: i32) -> Decimal {
        if digits == 0 {
            return Decimal { negative: false, digits: 0, exponent: 0 };
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        Decimal { negative, digits, exponent }
    }

    fn of_float(float: f64) -> Decimal {
        // Rust prints the shortest digits that read back as the same float, at most 17 of them.
        let text = format!("{:e}", float.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}").parse().unwrap_or(0);
        let exponent = exponent.parse::<i32>().unwrap_or(0) - fraction.len() as i32;
        Decimal::new(float < 0.0, digits, exponent)
    }

    fn compare_magnitude(self, other: Decimal) -> Ordering {
        if self.digits == 0 || other.digits == 0 {
            return self.digits.cmp(&other.digits);
        }
        let widened = |number: Decimal| {
            let length = number.digits.ilog10() + 1;
            let order = i64::from(number.exponent) + i64::from(length);
            (order, u128::from(number.digits) * 10u128.pow(WIDTH - length))
        };
        widened(self).cmp(&widened(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.compare_magnitude(*other),
            (true, true) => other.compare_magnitude(*self),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `10^power mod modulus`. Both factors stay below 2^64, so no product overflows.
fn power_of_ten(mut power: u32, modulus: u128) -> u128 {
    let (mut result, mut base) = (1 % modulus, 10 % modulus);
    while power > 0 {
        if power & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        power >>= 1;
    }
    result
}
