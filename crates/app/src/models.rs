//! `cinque models`: what can be used now. Start at [`run`].

use crate::arguments::Here;
use crate::exit::{Exit, Fault, print};
use crate::paint::visible;
use crate::start::Start;
use crate::wiring;
use host::models::Offer;

pub fn run(here: Here, json: bool) -> Result<Exit, Fault> {
    let models = Start::new(&here)?.models();
    let runtime = wiring::runtime()?;
    let offers = runtime.block_on(models.offers());
    let mut count = 0;
    for offer in &offers {
        count += tell(offer, json)?;
    }
    if count == 0 && offers.iter().any(Offer::is_unlisted) {
        let message = "the server that answers lists no models; those that it has can be used all the same";
        return Err(Fault::new(Exit::Model, message).hint("name one with -m PROVIDER/MODEL"));
    }
    if count == 0 {
        return Err(Fault::new(Exit::Model, "no model can be used")
            .hint("set a provider's key, for example OPENAI_API_KEY, or start a server such as Ollama on this machine"));
    }
    Ok(Exit::Done)
}

/// Prints what one provider offers and says how many that are. A server that is not there is not worth a word.
fn tell(offer: &Offer, json: bool) -> Result<usize, Fault> {
    let Offer { provider, models, local } = offer;
    match models {
        Ok(models) => {
            for model in models {
                let name = format!("{provider}/{model}");
                match json {
                    true => print(&serde_json::json!({ "model": name }).to_string())?,
                    false => print(&visible(&name))?,
                }
            }
            Ok(models.len())
        }
        Err(_) if *local => Ok(0),
        Err(failure) => {
            aside!("{provider}: {}", visible(&failure.message));
            Ok(0)
        }
    }
}
