//! ISO date-times, as much as is needed to tell one from other text. Start at [`is_date_time`].

/// `2026-01-02`, `2026-01-02T03:04`, `2026-01-02T03:04:05.678`, each time with or without `Z` or `+01:00`.
pub(super) fn is_date_time(text: &str) -> bool {
    let text = text.trim();
    let Some((date, rest)) = text.split_at_checked(10) else { return false };
    let mut rest = rest.chars();
    match rest.next() {
        None => is_date(date),
        Some('T' | 't' | ' ') => is_date(date) && is_time(rest.as_str()),
        Some(_) => false,
    }
}

fn is_date(text: &str) -> bool {
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else { return false };
    let Some((year, month)) = number(year, 4).zip(number(month, 2)) else { return false };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    number(day, 2).is_some_and(|day| (1..=days).contains(&day))
}

fn is_time(text: &str) -> bool {
    let at = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(at);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let parts: Vec<&str> = clock.split(':').collect();
    let within = |part: &str, most: u32| number(part, 2).is_some_and(|number| number <= most);
    let is_clock = match parts[..] {
        [hour, minute] => within(hour, 23) && within(minute, 59),
        // 60 is a leap second.
        [hour, minute, second] => within(hour, 23) && within(minute, 59) && within(second, 60),
        _ => false,
    };
    is_clock && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit()) && is_zone(zone)
}

fn is_zone(text: &str) -> bool {
    let Some(offset) = text.strip_prefix(['+', '-']) else { return matches!(text, "" | "Z" | "z") };
    let digits: String = offset.chars().filter(|c| *c != ':').collect();
    matches!(digits.len(), 2 | 4) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}
