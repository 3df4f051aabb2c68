//! What has to happen to get from one version of a protocol to the next one, and back.
//!
//! Comes in: the models of an older and a newer version, and the rules that say what names do not.
//! Goes out: a [`ConversionPlan`], or every field that neither a name nor a rule accounts for.
//! Nothing is ever matched by its number.
//!
//! Planning starts from the operations. Their requests and responses stand for each other, so do
//! the fields in them that have equal names, so do the types of those. Where names differ, where a
//! side has something that the other one lacks, and where equal names mean different things, a
//! [rule](rules::Rules) says what is done; what no rule names is a fault that shows the rule to
//! write.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::diagnostics::Diagnostics;
use crate::model::{Api, Origin};

mod fields;
mod hooks;
mod methods;
pub mod model;
mod names;
mod outer;
mod pairs;
pub mod rules;
mod suggest;
mod template;
mod types;
mod unused;
mod values;

use model::{ConversionPlan, Encoding, EnumPlan, MessagePlan, RuleRef};
use names::Side;
use rules::Rules;

/// The plans of one rules file.
#[derive(Debug, Clone)]
pub struct Plans {
    /// Between the older version's proto and the newer version.
    pub proto: ConversionPlan,
    /// Between the older version's JSON schema and the newer version, where there is a schema.
    pub json: Option<ConversionPlan>,
}

/// Makes the plan of one spelling of the older version.
///
/// Rules that nothing needs are no fault here, since the other spelling may need them;
/// [`plan_all`] knows.
///
/// ```
/// use a2a_codegen::load::{Sources, load_protos};
/// use a2a_codegen::lower::lower;
/// use a2a_codegen::plan::model::Encoding;
/// use a2a_codegen::plan::{plan, rules::read_rules};
/// use a2a_codegen::profile::Profile;
///
/// let read = |name: &str, field: &str| {
///     let text = format!(
///         "syntax = \"proto3\"; package {name}; message Page {{ string {field} = 1; }}
///          service Pages {{ rpc Turn(Page) returns (Page); }}"
///     );
///     let sources = Sources::new().virtual_file(name, text).file(name);
///     lower(&load_protos(&sources)?, &Profile::default())
/// };
/// let (old, new) = (read("v1", "words")?, read("v2", "text")?);
/// let faults = plan(&old, &new, &read_rules("", "rules.toml")?, Encoding::Proto).unwrap_err();
/// assert!(faults.to_string().contains("`v2.Page.text` has no older field"));
/// let rules = read_rules("[field]\n\"Page.text\" = { proto = \"Page.words\" }", "rules.toml")?;
/// assert_eq!(plan(&old, &new, &rules, Encoding::Proto)?.messages.len(), 1);
/// # Ok::<(), a2a_codegen::diagnostics::Diagnostics>(())
/// ```
///
/// # Errors
/// When something of either side is neither matched nor named in a rule, and when a rule is wrong.
pub fn plan(
    old: &Api,
    new: &Api,
    rules: &Rules,
    encoding: Encoding,
) -> Result<ConversionPlan, Diagnostics> {
    let (plan, faults, _) = Planner::new(old, new, rules, encoding).run();
    faults
        .into_result(plan)
        .map_err(|faults| rules.with_texts(faults))
}

/// Makes all plans of a rules file: of the older version's proto, and of its JSON schema if it has
/// one.
///
/// # Errors
/// As [`plan`]; also when no plan needs a rule.
pub fn plan_all(
    proto: &Api,
    schema: Option<&Api>,
    new: &Api,
    rules: &Rules,
) -> Result<Plans, Diagnostics> {
    let (plans, faults) = plan_partly(proto, schema, new, rules);
    faults.into_result(plans)
}

/// As [`plan_all`], but also with the plans as far as they go: what a report tells of two versions
/// whose rules are not all written.
pub(crate) fn plan_partly(
    proto: &Api,
    schema: Option<&Api>,
    new: &Api,
    rules: &Rules,
) -> (Plans, Diagnostics) {
    let (proto_plan, mut faults, mut used) = Planner::new(proto, new, rules, Encoding::Proto).run();
    let json = schema.map(|schema| {
        let (plan, more, also) = Planner::new(schema, new, rules, Encoding::Json).run();
        faults.append(more);
        used.extend(also);
        plan
    });
    unused::check(rules, &used, &mut faults);
    let plans = Plans {
        proto: proto_plan,
        json,
    };
    (plans, rules.with_texts(faults))
}

/// The making of one plan.
struct Planner<'a> {
    rules: &'a Rules,
    encoding: Encoding,
    old: Side<'a>,
    new: Side<'a>,
    faults: Diagnostics,
    /// Rules that did something, by section and key.
    used: BTreeSet<String>,
    messages: Vec<MessagePlan>,
    enums: BTreeMap<String, EnumPlan>,
    /// Pairs that are planned or waiting, by newer and older name.
    seen: BTreeSet<(String, String)>,
    queue: VecDeque<Pair<'a>>,
    /// Newer fields that no plan of their own message has, with what must have them.
    owed: Vec<outer::Owed>,
    /// Keys of rows that lift a field.
    lifted: BTreeSet<String>,
    /// Names of field hooks that are in the plan.
    field_hooks: BTreeSet<String>,
}

/// A pair of types that waits to be planned.
struct Pair<'a> {
    new: &'a crate::model::Message,
    old: names::Node<'a>,
    /// The rule that pairs them.
    rule: Option<RuleRef>,
}

/// Where two types stand for each other, for faults.
#[derive(Debug, Clone)]
struct Use {
    what: String,
    origin: Origin,
}

impl<'a> Planner<'a> {
    fn new(old: &'a Api, new: &'a Api, rules: &'a Rules, encoding: Encoding) -> Self {
        Self {
            rules,
            encoding,
            old: Side { api: old },
            new: Side { api: new },
            faults: Diagnostics::new(),
            used: BTreeSet::new(),
            messages: Vec::new(),
            enums: BTreeMap::new(),
            seen: BTreeSet::new(),
            queue: VecDeque::new(),
            owed: Vec::new(),
            lifted: BTreeSet::new(),
            field_hooks: BTreeSet::new(),
        }
    }

    fn run(mut self) -> (ConversionPlan, Diagnostics, BTreeSet<String>) {
        let methods = self.methods();
        while let Some(pair) = self.queue.pop_front() {
            self.pair(&pair);
        }
        self.check_owed();
        let losses = self.rules.losses.iter();
        let plan = ConversionPlan {
            encoding: self.encoding,
            messages: self.messages,
            enums: self.enums,
            methods,
            losses: losses
                .map(|(id, loss)| (id.clone(), loss.text.clone()))
                .collect(),
        };
        (plan, self.faults, self.used)
    }

    fn is_json(&self) -> bool {
        self.encoding == Encoding::Json
    }

    /// How rows call the spelling at hand.
    fn spelling(&self) -> &'static str {
        match self.encoding {
            Encoding::Proto => "proto",
            Encoding::Json => "json",
        }
    }

    fn mark(&mut self, section: &str, key: &str) {
        self.used.insert(format!("{section}.{key}"));
    }
}
