//! Ids of conversations as clients write them. Start at [`conversation_id`].

use agent::Id;

/// The groups of digits of a GUID.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// Reads a GUID; capital letters mean the same as small ones.
pub fn conversation_id(text: &str) -> Result<Id, String> {
    let groups: Vec<&str> = text.split('-').collect();
    let fits = |(group, length): (&&str, &usize)| {
        group.len() == *length && group.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let guid = groups.len() == GROUPS.len() && groups.iter().zip(&GROUPS).all(fits);
    let id = guid.then(|| Id::try_from(text.to_ascii_lowercase()).ok()).flatten();
    id.ok_or_else(|| {
        let shown: String = text.chars().take(80).collect();
        format!("{shown:?} is not a conversation id: it must be a GUID.")
    })
}

/// A new GUID. An `Err` means that the machine has no randomness to give.
pub fn new_guid() -> Result<String, String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("the machine gives no random numbers: {error}"))?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut rest = hex.as_str();
    let group = |length: &usize| {
        let (group, after) = rest.split_at(*length);
        rest = after;
        group
    };
    Ok(GROUPS.iter().map(group).collect::<Vec<_>>().join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_guid_is_an_id() {
        let guid = "0190c0de-0000-7000-8000-00000000abcd";
        assert_eq!(conversation_id(&guid.to_uppercase()).unwrap().as_str(), guid);
        for wrong in
            ["", "x", "0190c0de00007000800000000000abcd", "{0190c0de-0000-7000-8000-00000000abcd}", "../a"]
        {
            assert!(conversation_id(wrong).is_err(), "{wrong}");
        }
        let (one, two) = (new_guid().unwrap(), new_guid().unwrap());
        assert!(conversation_id(&one).is_ok() && one != two);
    }
}
