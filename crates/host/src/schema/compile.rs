//! From the text of a schema to its compiled form. Start from [`compile`].
//!
//! Subschemas wait in a queue and are known by their pointer, so a chain or a circle of references costs no stack.
//! Nothing that is wrong is passed over: the first fault ends the reading, and says where it is.

mod keywords;

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use self::keywords::{assertions, pattern};
use super::cycle::find_cycle;
use super::draft::Draft;
use super::equal::nests_deeper_than;
use super::names::Names;
use super::place::{Place, child, shown};
use super::rule::{Contains, Effect, Members, Node, NodeId, Rule, Shown};
use super::violation::excerpt;
use super::{Schema, SchemaError};

/// Deeper nesting than anybody writes; it bounds the recursion over fixed values.
const MAX_DEPTH: usize = 256;

/// More subschemas than this are refused.
const MAX_NODES: usize = 50_000;

pub(super) fn compile(schema: &Value) -> Result<Schema, SchemaError> {
    if nests_deeper_than(MAX_DEPTH, schema) {
        return Err(SchemaError::TooLarge { problem: format!("it nests more than {MAX_DEPTH} levels deep") });
    }
    let draft = draft_of(schema)?;
    let names = Names::of(schema, draft);
    let mut compiler = Compiler {
        schema,
        draft,
        names,
        nodes: vec![],
        places: vec![],
        known: HashMap::new(),
        queue: vec![],
    };
    let root = compiler.node_at(String::new(), schema);
    while let Some((id, value)) = compiler.queue.pop() {
        compiler.fill(id, value)?;
    }
    if let Some(id) = find_cycle(&compiler.nodes) {
        return Err(SchemaError::Unsupported {
            at: shown(&compiler.places[id.0]),
            keyword: "$ref".into(),
            problem: "leads back to itself without going into the value, so a check would never end".into(),
        });
    }
    let tracks = compiler.nodes.iter().any(|node| match node {
        Node::Rules(rules) => rules.iter().any(Rule::is_about_unevaluated),
        Node::Always | Node::Never => false,
    });
    Ok(Schema { nodes: compiler.nodes, root, tracks })
}

struct Compiler<'a> {
    schema: &'a Value,
    draft: Draft,
    names: Names,
    nodes: Vec<Node>,
    /// The pointer of each node.
    places: Vec<String>,
    known: HashMap<String, NodeId>,
    /// Nodes with a number but without rules yet.
    queue: Vec<(NodeId, &'a Value)>,
}

/// The draft that the document declares.
fn draft_of(schema: &Value) -> Result<Draft, SchemaError> {
    let Some(object) = schema.as_object() else { return Ok(Draft::Unsaid) };
    let place = Place { object, pointer: "" };
    match place.string("$schema")? {
        None => Ok(Draft::Unsaid),
        Some(uri) => Draft::declared(uri).ok_or_else(|| {
            let known = "draft-07, 2019-09 and 2020-12 of json-schema.org are";
            place.unsupported(
                "$schema",
                format!("names {}, which is not known here; {known}", excerpt(&uri.into())),
            )
        }),
    }
}

impl<'a> Compiler<'a> {
    /// The number of the schema at a pointer; it is read later if it is new.
    fn node_at(&mut self, pointer: String, value: &'a Value) -> NodeId {
        if let Some(id) = self.known.get(&pointer) {
            return *id;
        }
        let id = NodeId(self.nodes.len());
        self.nodes.push(Node::Always);
        self.places.push(pointer.clone());
        self.known.insert(pointer, id);
        self.queue.push((id, value));
        id
    }

    fn fill(&mut self, id: NodeId, value: &'a Value) -> Result<(), SchemaError> {
        if self.nodes.len() > MAX_NODES {
            return Err(SchemaError::TooLarge {
                problem: format!("it has more than {MAX_NODES} subschemas"),
            });
        }
        let pointer = self.places[id.0].clone();
        self.nodes[id.0] = match value {
            Value::Bool(true) => Node::Always,
            Value::Bool(false) => Node::Never,
            Value::Object(object) => Node::Rules(self.rules(Place { object, pointer: &pointer })?),
            other => return Err(SchemaError::NotASchema { at: shown(&pointer), found: excerpt(other) }),
        };
        Ok(())
    }

    /// The order is the order of complaints: what a value is comes before what is in it.
    fn rules(&mut self, place: Place<'a, '_>) -> Result<Vec<Rule>, SchemaError> {
        // Definitions that nothing refers to are read too, so that a fault in them is found today.
        self.named(place, "definitions")?;
        self.named(place, "$defs")?;
        let mut rules = Vec::new();
        self.references(place, &mut rules)?;
        if self.draft.ref_hides_siblings() && !rules.is_empty() {
            return Ok(rules);
        }
        self.refuse_unsupported(place)?;
        rules.extend(assertions(place, self.draft)?.into_iter().map(Rule::Assert));
        self.objects(place, &mut rules)?;
        self.arrays(place, &mut rules)?;
        self.combinations(place, &mut rules)?;
        self.condition(place, &mut rules);
        if self.draft.since_nineteen() {
            rules.extend(self.one(place, "unevaluatedProperties").map(Rule::UnevaluatedMembers));
            rules.extend(self.one(place, "unevaluatedItems").map(Rule::UnevaluatedItems));
        }
        Ok(rules)
    }

    fn references(&mut self, place: Place<'a, '_>, rules: &mut Vec<Rule>) -> Result<(), SchemaError> {
        let Some(reference) = place.string("$ref")? else { return Ok(()) };
        let written = excerpt(&reference.into());
        let Some(pointer) = self.names.find(place.pointer, reference) else {
            let advice = "only what is in the same document can be referred to; copy it under $defs";
            return Err(place.unsupported("$ref", format!("points to {written}; {advice}")));
        };
        let Some(target) = self.schema.pointer(&pointer) else {
            return Err(place.wrong("$ref", format!("points to {written}, where nothing is")));
        };
        rules.push(Rule::Ref(self.node_at(pointer, target)));
        Ok(())
    }

    fn refuse_unsupported(&self, place: Place<'a, '_>) -> Result<(), SchemaError> {
        let dynamic =
            ["$dynamicRef", "$recursiveRef"].into_iter().find(|keyword| place.get(keyword).is_some());
        if let Some(keyword) = dynamic.filter(|_| self.draft.since_nineteen()) {
            return Err(place.unsupported(keyword, "is not supported; use $ref"));
        }
        let inner = if place.pointer.is_empty() { None } else { place.string("$schema")? };
        match inner {
            Some(uri) if Draft::declared(uri) != Some(self.draft) => {
                Err(place
                    .unsupported("$schema", "changes the draft inside a document, which is not supported"))
            }
            _ => Ok(()),
        }
    }

    fn objects(&mut self, place: Place<'a, '_>, rules: &mut Vec<Rule>) -> Result<(), SchemaError> {
        let named = BTreeMap::from_iter(self.named(place, "properties")?);
        let mut patterned = Vec::new();
        for (source, node) in self.named(place, "patternProperties")? {
            patterned.push((pattern(place, "patternProperties", &source)?, node));
        }
        let others = self.one(place, "additionalProperties");
        if !named.is_empty() || !patterned.is_empty() || others.is_some() {
            rules.push(Rule::Members(Members { named, patterned, others }));
        }
        rules.extend(self.one(place, "propertyNames").map(Rule::Names));
        let mut dependents = Vec::new();
        if self.draft.since_nineteen() {
            dependents = self.named(place, "dependentSchemas")?;
        }
        let at = place.under("dependencies");
        for (cause, value) in
            place.map("dependencies")?.into_iter().flatten().filter(|(_, value)| !value.is_array())
        {
            dependents.push((cause.clone(), self.node_at(child(&at, cause), value)));
        }
        if !dependents.is_empty() {
            rules.push(Rule::Dependents(dependents));
        }
        Ok(())
    }

    fn arrays(&mut self, place: Place<'a, '_>, rules: &mut Vec<Rule>) -> Result<(), SchemaError> {
        let mut first = Vec::new();
        if self.draft.since_twenty() {
            first = self.many(place, "prefixItems")?.unwrap_or_default();
        }
        let rest = match place.get("items") {
            Some(Value::Array(_)) if !self.draft.items_may_be_list() || !first.is_empty() => {
                let problem = "must be a schema; in 2020-12 a list of schemas is called prefixItems";
                return Err(place.wrong("items", problem));
            }
            Some(Value::Array(list)) => {
                first = self.each(&place.under("items"), list);
                self.one(place, "additionalItems")
            }
            _ => self.one(place, "items"),
        };
        if !first.is_empty() || rest.is_some() {
            rules.push(Rule::Items { first, rest });
        }
        self.contains(place, rules)
    }

    fn contains(&mut self, place: Place<'a, '_>, rules: &mut Vec<Rule>) -> Result<(), SchemaError> {
        let (mut least, mut most) = (1, None);
        if self.draft.since_nineteen() {
            least = place.count("minContains")?.unwrap_or(1);
            most = place.count("maxContains")?;
        }
        let effect = if self.draft.since_twenty() { Effect::Evaluates } else { Effect::OnlyCounts };
        if let Some(wanted) = self.shown(place, "contains") {
            rules.push(Rule::Contains(Contains { wanted, least, most, effect }));
        }
        Ok(())
    }

    fn combinations(&mut self, place: Place<'a, '_>, rules: &mut Vec<Rule>) -> Result<(), SchemaError> {
        rules.extend(self.many(place, "allOf")?.map(Rule::AllOf));
        rules.extend(self.many(place, "anyOf")?.map(Rule::AnyOf));
        rules.extend(self.many(place, "oneOf")?.map(Rule::OneOf));
        rules.extend(self.shown(place, "not").map(Rule::Not));
        Ok(())
    }

    fn condition(&mut self, place: Place<'a, '_>, rules: &mut Vec<Rule>) {
        // `then` and `else` without `if` mean nothing, but must be schemas all the same.
        let (then, otherwise) = (self.one(place, "then"), self.one(place, "else"));
        if let Some(condition) = self.one(place, "if") {
            rules.push(Rule::If { condition, then, otherwise });
        }
    }

    fn one(&mut self, place: Place<'a, '_>, keyword: &str) -> Option<NodeId> {
        place.get(keyword).map(|value| self.node_at(place.under(keyword), value))
    }

    fn shown(&mut self, place: Place<'a, '_>, keyword: &str) -> Option<Shown> {
        let source = excerpt(place.get(keyword)?);
        self.one(place, keyword).map(|node| Shown { node, source })
    }

    fn many(&mut self, place: Place<'a, '_>, keyword: &str) -> Result<Option<Vec<NodeId>>, SchemaError> {
        Ok(place.filled_list(keyword)?.map(|list| self.each(&place.under(keyword), list)))
    }

    fn each(&mut self, pointer: &str, list: &'a [Value]) -> Vec<NodeId> {
        let numbered = list.iter().enumerate();
        numbered.map(|(index, value)| self.node_at(child(pointer, &index.to_string()), value)).collect()
    }

    fn named(&mut self, place: Place<'a, '_>, keyword: &str) -> Result<Vec<(String, NodeId)>, SchemaError> {
        let at = place.under(keyword);
        let members = place.map(keyword)?.into_iter().flatten();
        Ok(members.map(|(name, value)| (name.clone(), self.node_at(child(&at, name), value))).collect())
    }
}
