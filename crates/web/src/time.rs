//! Times as clients read them. Start at [`iso`].

/// A time in milliseconds since 1970 as ISO 8601, in UTC.
pub fn iso(millis: u64) -> String {
    let (days, rest) = (millis / 86_400_000, millis % 86_400_000);
    let (year, month, day) = civil(days);
    let (seconds, milli) = (rest / 1000, rest % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let parts = [(3, year), (6, month), (9, day), (12, hour), (15, minute), (18, second), (22, milli)];
    for (last, number) in parts {
        write(&mut text, last, number);
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Writes a number so that its last digit stands at a place. Every record has a time and a long conversation ten
/// thousand of them, which is too many for `format!`.
fn write(text: &mut [u8], last: usize, mut number: u64) {
    for digit in text.iter_mut().take(last + 1).rev() {
        if number == 0 {
            return;
        }
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// The date of a day since 1970. Years are counted from March, so that the day that may be missing is the last one.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn times_read_as_clients_expect() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00.000Z"),
            (4_102_444_800_000, "2100-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso(millis), text);
        }
    }
}
