//! The tools of the profile `terminal`. Start at [`face`]; the words for the model are in `terminal/*.md`.

mod commands;
mod patch;

use super::face::Face;
use super::look::{Read, hits};
use super::{World, failed, flag, looks, number, object, spec, text, text_or};
use crate::search::{Case, Query, Syntax, search};
use crate::workspace::Ignored;
use agent::event::Outcome;
use agent::{Access, Job, Tool};
use serde_json::Value;
use std::sync::Arc;

/// Matches that one search gives back unless it says otherwise, and at most.
const HITS: u64 = 100;
const MOST_HITS: u64 = 1000;

pub(super) fn face(name: &str, world: &World) -> Option<Arc<dyn Tool>> {
    Some(match name {
        "shell" => Arc::new(commands::Commands::new(world)),
        "apply_patch" => patch::face(world),
        "search" => {
            let fields = [
                ("pattern", "string"),
                ("path", "string"),
                ("case_sensitive", "boolean"),
                ("file_pattern?", "string"),
                ("exclude_pattern?", "string"),
                ("max_results?", "integer"),
            ];
            let words = include_str!("terminal/search.md");
            Face::new(world, spec(name, words, object(&fields)), may_search, look).shared().boxed()
        }
        "read" => Arc::new(Read::new(world)),
        _ => return None,
    })
}

fn may_search(world: &World, arguments: &Value) -> Result<Access, String> {
    query(arguments)?;
    Ok(looks(&world.workspace, text_or(arguments, "path", ".")?))
}

fn look(world: &World, job: &Job) -> Outcome {
    let look = || -> Result<Outcome, String> {
        let query = query(&job.arguments)?;
        let path = text_or(&job.arguments, "path", ".")?;
        let found = search(&world.workspace, &query, path, &|| job.cancel.is_cancelled());
        Ok(Outcome::done(hits(&found.map_err(|error| error.to_string())?, query.limit)))
    };
    look().unwrap_or_else(failed)
}

fn query(arguments: &Value) -> Result<Query, String> {
    let pattern = text(arguments, "pattern")?.to_owned();
    if pattern.is_empty() {
        return Err("`pattern` is empty".into());
    }
    let globs = |name| -> Result<Vec<String>, String> {
        let glob = text_or(arguments, name, "")?;
        Ok(if glob.is_empty() { Vec::new() } else { vec![glob.to_owned()] })
    };
    let limit = number(arguments, "max_results")?.unwrap_or(HITS).clamp(1, MOST_HITS);
    Ok(Query {
        pattern,
        syntax: Syntax::Regex,
        case: if flag(arguments, "case_sensitive")? { Case::Sensitive } else { Case::Insensitive },
        include: globs("file_pattern")?,
        exclude: globs("exclude_pattern")?,
        ignored: Ignored::Skip,
        limit: limit as usize,
    })
}
