//! `cinque config`: the settings in force. Start at [`run`].

use crate::arguments::{ConfigDoor, Here};
use crate::exit::{Exit, Fault, print};
use crate::paint::visible;
use crate::start::Start;

pub fn run(here: Here, door: ConfigDoor) -> Result<Exit, Fault> {
    match door {
        ConfigDoor::Sample => print(host::config::SAMPLE.trim_end())?,
        ConfigDoor::Show { json } => {
            for row in Start::new(&here)?.settings.rows() {
                match json {
                    true => print(&serde_json::to_string(&row).map_err(Fault::error)?)?,
                    false => print(&visible(&row.to_string()))?,
                }
            }
        }
    }
    Ok(Exit::Done)
}
