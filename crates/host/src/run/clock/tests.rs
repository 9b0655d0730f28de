//! When a call is asked, forced and given up on, on a clock that is moved by hand.

use super::*;

/// Moves the clock to each time in turn and says what was due there.
fn check(mut clock: Clock, start: Instant, steps: &[(u64, Option<Due>)], outcome: Option<Outcome>) {
    for (milliseconds, expected) in steps {
        let now = start + Duration::from_millis(*milliseconds);
        assert_eq!(clock.due(now), *expected, "at {milliseconds} ms");
    }
    assert_eq!(clock.outcome(), outcome);
}

#[test]
fn a_call_over_its_limit_is_gone_within_two_seconds() {
    let start = Instant::now();
    let steps = [
        (0, None),
        (499, None),
        (500, Some(Due::Ask)),
        (501, None),
        (1499, None),
        (1500, Some(Due::Force)),
        (2299, None),
        (2300, Some(Due::GiveUp)),
    ];
    let clock = Clock::new(start, Duration::from_millis(500));
    check(clock, start, &steps, Some(Outcome::Timeout));
}

#[test]
fn a_cancelled_call_is_asked_at_once_and_stays_cancelled() {
    let start = Instant::now();
    let mut clock = Clock::new(start, Duration::from_millis(500));
    clock.cancel(start);
    let steps = [(0, Some(Due::Ask)), (600, None), (1000, Some(Due::Force))];
    check(clock, start, &steps, Some(Outcome::Cancelled));
}

#[test]
fn a_call_within_its_limit_ends_by_itself() {
    let start = Instant::now();
    check(Clock::new(start, Duration::MAX), start, &[(1 << 40, None)], None);
}
