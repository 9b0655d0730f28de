//! The page's TypeScript, made from the shapes. `UPDATE_SHAPES=1 cargo test -p web shapes` writes it.

use super::*;
use crate::api::{AgentRequest, AgentResponse, Exchange};
use crate::fault::ErrorShape;
use crate::rest::shapes::{Begun, Changes, Letter, Missing, ModelList, RuleShape, Setup, Undone, UndoneFile};
use std::path::Path;
use ts_rs::{Config, TS};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../page/src/generated/shapes.ts");
const HEADER: &str = "// Written by a test of crates/web from the Rust types; never edit it by hand.\n";

macro_rules! declared {
    ($($shape:ty),+ $(,)?) => {{
        // Numbers stay far below what a double can hold.
        let config = Config::new().with_large_int("number");
        [$(format!("\nexport {}\n", <$shape as TS>::decl(&config))),+].concat()
    }};
}

#[test]
fn shapes_of_the_page_are_those_of_the_server() {
    let made = declared![
        Change,
        Body,
        CallShape,
        UsageShape,
        FinishShape,
        VerdictShape,
        ByShape,
        OutcomeShape,
        StopShape,
        TextDelta,
        ToolOutput,
        ModelRetry,
        RunFailed,
        UsageUpdated,
        ToolCallDecided,
        DecisionShape,
        ConversationShape,
        StatusShape,
        ConversationMessages,
        MessageShape,
        ConversationRemoved,
        Joined,
        Choice,
        Changes,
        RuleShape,
        Undone,
        UndoneFile,
        Setup,
        Missing,
        ModelList,
        Begun,
        Letter,
        ErrorShape,
        AgentRequest,
        Exchange,
        AgentResponse,
    ];
    let made = format!("{HEADER}{made}");
    if std::env::var_os("UPDATE_SHAPES").is_some() {
        std::fs::create_dir_all(Path::new(FILE).parent().unwrap()).unwrap();
        std::fs::write(FILE, &made).unwrap();
    }
    let kept = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(kept == made, "the shapes changed: UPDATE_SHAPES=1 cargo test -p web shapes");
}
