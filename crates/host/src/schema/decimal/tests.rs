//! Exact numbers: tables for what floats get wrong, and laws against integer arithmetic.

use proptest::prelude::*;
use serde_json::{Number, Value};

use super::Decimal;

fn decimal(text: &str) -> Decimal {
    let value: Value = serde_json::from_str(text).unwrap();
    Decimal::of(value.as_number().unwrap())
}

#[test]
fn numbers_compare_by_what_is_written() {
    let ascending = [
        "-1e308",
        "-18446744073709551616",
        "-9223372036854775808",
        "-1.5",
        "-1",
        "-1e-300",
        "0",
        "5e-324",
        "0.1",
        "0.3",
        "1",
        "1.0000000000000002",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775807",
        "18446744073709551614",
        "18446744073709551615",
        "1e20",
        "1.7976931348623157e308",
    ];
    for (left, one) in ascending.iter().enumerate() {
        for (right, other) in ascending.iter().enumerate() {
            assert_eq!(decimal(one).cmp(&decimal(other)), left.cmp(&right), "{one} against {other}");
        }
    }
}

#[test]
fn one_number_has_one_form() {
    for (one, other) in [
        ("1", "1.0"),
        ("0", "-0.0"),
        ("100", "1e2"),
        ("0.5", "5e-1"),
        ("12345678901234567000", "1.2345678901234567e19"),
    ] {
        assert_eq!(decimal(one), decimal(other), "{one} and {other}");
    }
}

#[test]
fn multiples_are_exact() {
    let cases = [
        ("0.3", "0.1", true),
        ("0.0075", "0.0001", true),
        ("0.00751", "0.0001", false),
        ("19.99", "0.01", true),
        ("1.1", "0.1", true),
        ("7", "2", false),
        ("-6", "3", true),
        ("0", "7", true),
        ("4.5", "1.5", true),
        ("1", "1.5", false),
        ("20", "30", false),
        ("18446744073709551615", "5", true),
        ("18446744073709551614", "5", false),
        ("1e308", "0.5", true),
        ("1e308", "3", false),
        ("1e308", "1e-300", true),
        ("1e-300", "1e308", false),
        ("9007199254740993", "2", false),
    ];
    for (value, step, expected) in cases {
        assert_eq!(decimal(value).is_multiple_of(decimal(step)), expected, "{value} by {step}");
    }
}

#[test]
fn integers_and_counts() {
    let cases = [
        ("1.0", true, Some(1)),
        ("1e3", true, Some(1000)),
        ("1.5", false, None),
        ("-1", true, None),
        ("1e300", true, None),
        ("18446744073709551615", true, Some(u64::MAX)),
        ("0", true, Some(0)),
    ];
    for (text, integer, count) in cases {
        assert_eq!((decimal(text).is_integer(), decimal(text).as_count()), (integer, count), "{text}");
    }
}

proptest! {
    #[test]
    fn integers_agree_with_machine_arithmetic(left: i64, right: i64, step in 1i64..1000) {
        let of = |whole: i64| Decimal::of(&Number::from(whole));
        prop_assert_eq!(of(left).cmp(&of(right)), left.cmp(&right));
        prop_assert_eq!(of(left).is_multiple_of(of(step)), left % step == 0);
    }

    #[test]
    fn finite_floats_keep_their_order(left: f64, right: f64) {
        prop_assume!(left.is_finite() && right.is_finite());
        let of = |float: f64| Decimal::of(&Number::from_f64(float).unwrap());
        prop_assert_eq!(of(left).partial_cmp(&of(right)), left.partial_cmp(&right));
    }

    #[test]
    fn cents_are_multiples_of_a_cent(cents in 0u64..1_000_000_000) {
        let price: f64 = format!("{}.{:02}", cents / 100, cents % 100).parse().unwrap();
        prop_assert!(Decimal::of(&Number::from_f64(price).unwrap()).is_multiple_of(decimal("0.01")));
    }
}
