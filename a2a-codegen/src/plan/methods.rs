//! Operations: by name, or as a rule says.

use super::model::MethodPlan;
use super::rules::{MethodRule, fault};
use super::{Planner, Use, suggest};
use crate::diagnostics::{Diagnostic, did_you_mean};
use crate::model::{Api, Method, Service};

impl<'a> Planner<'a> {
    /// The plans of all operations; their requests and responses start the queue.
    pub(super) fn methods(&mut self) -> Vec<MethodPlan> {
        let (Some(new), Some(old)) = (self.service(true), self.service(false)) else {
            return Vec::new();
        };
        let mut plans = Vec::new();
        let mut taken = vec![false; old.methods.len()];
        for (index, method) in new.methods.iter().enumerate() {
            let rule = self
                .rules
                .methods
                .iter()
                .find(|row| row.rule.key == method.proto_name);
            let Some((at, named)) = self.older(method, rule, old) else {
                plans.push(self.only_new(index, method, rule));
                continue;
            };
            let Some(older) = old.methods.get(at) else {
                continue;
            };
            if let Some(taken) = taken.get_mut(at) {
                *taken = true;
            }
            if let Some(rule) = rule.filter(|_| named) {
                self.mark("method", &rule.rule.key);
            }
            plans.push(self.both(index, method, at, older, rule));
        }
        for (index, method) in old.methods.iter().enumerate() {
            if !taken.get(index).copied().unwrap_or(true) {
                plans.push(self.method_gone(index, method));
            }
        }
        plans
    }

    /// The one service of a side.
    fn service(&mut self, newer: bool) -> Option<&'a Service> {
        let api: &'a Api = if newer { self.new.api } else { self.old.api };
        let which = if newer { "newer" } else { "older" };
        if let Some(second) = api.services.get(1) {
            let message = format!("the {which} version has more than one service");
            self.faults
                .push(Diagnostic::new(second.origin.clone(), message).hint(
                    "adapters stand between two services: name protos with one service each",
                ));
        }
        let first = api.services.first();
        if first.is_none() {
            let origin = crate::model::Origin {
                file: api.sources.first().map_or("", String::as_str).into(),
                ..crate::model::Origin::default()
            };
            let message = format!("the {which} version has no service");
            self.faults.push(
                Diagnostic::new(origin, message).hint(
                    "plans start from the operations: name the proto that declares the service",
                ),
            );
        }
        first
    }

    /// The index of the older method, and whether a rule gave it.
    fn older(
        &mut self,
        method: &Method,
        rule: Option<&MethodRule>,
        old: &Service,
    ) -> Option<(usize, bool)> {
        let position = |name: &str| old.methods.iter().position(|each| each.proto_name == name);
        if let Some(rule) = rule
            && let Some(name) = rule.old.get(self.encoding)
        {
            let found = position(name);
            if found.is_none() {
                let names = old.methods.iter().map(|each| each.proto_name.as_str());
                let hint = match did_you_mean(name, names) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "write the name of an older operation".to_owned(),
                };
                let message = format!("the older version has no operation `{name}`");
                self.faults.push(fault(&rule.rule, message).hint(hint));
            }
            return found.map(|index| (index, true));
        }
        position(&method.proto_name).map(|index| (index, false))
    }

    fn both(
        &mut self,
        index: usize,
        new: &Method,
        at: usize,
        old: &Method,
        rule: Option<&MethodRule>,
    ) -> MethodPlan {
        if !self.is_json() && new.server_streaming != old.server_streaming {
            let message = format!(
                "`{}` answers with a stream on one side only",
                new.proto_name
            );
            self.faults.push(
                Diagnostic::new(new.origin.clone(), message)
                    .also(old.origin.clone(), "the older operation")
                    .hint("there is no rule for this; give the newer operation another name"),
            );
        }
        let place = |what: &str| Use {
            what: format!("the {what} of `{}`", new.proto_name),
            origin: new.origin.clone(),
        };
        let answer = self.answer(new, old, rule);
        MethodPlan {
            new: Some(index),
            old: Some(at),
            request: self.stand(&new.request, &old.request, &place("request")),
            response: answer
                .and_then(|answer| self.stand(&new.response, &answer, &place("response"))),
            refused: None,
            rule: rule.map(|rule| rule.rule.clone()),
        }
    }

    /// What the older operation answers: its schema says it, or a rule.
    fn answer(&mut self, new: &Method, old: &Method, rule: Option<&MethodRule>) -> Option<String> {
        if !old.response.is_empty() {
            return Some(old.response.clone());
        }
        let Some((rule, name)) =
            rule.and_then(|rule| Some((rule, rule.response.get(self.encoding)?)))
        else {
            let message = format!(
                "the older schema does not say what `{}` answers",
                old.proto_name
            );
            let hint = suggest::response(self, new);
            self.faults
                .push(Diagnostic::new(old.origin.clone(), message).hint(hint));
            return None;
        };
        self.mark("method", &rule.rule.key);
        if self.old.knows(name) {
            return Some(name.clone());
        }
        let hint = match self.old.nearest(name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "write the name of an older type".to_owned(),
        };
        let message = format!("the older version has no type `{name}`");
        self.faults.push(fault(&rule.rule, message).hint(hint));
        None
    }

    fn only_new(&mut self, index: usize, method: &Method, rule: Option<&MethodRule>) -> MethodPlan {
        let refused = rule.and_then(|rule| rule.refused.clone());
        match (rule, &refused) {
            (Some(rule), Some(_)) => self.mark("method", &rule.rule.key),
            _ => {
                let message = format!("the operation `{}` has no older one", method.proto_name);
                let hint = suggest::method(self, method);
                self.faults
                    .push(Diagnostic::new(method.origin.clone(), message).hint(hint));
            }
        }
        MethodPlan {
            new: Some(index),
            old: None,
            request: None,
            response: None,
            refused,
            rule: rule.map(|rule| rule.rule.clone()),
        }
    }

    fn method_gone(&mut self, index: usize, method: &Method) -> MethodPlan {
        let mut rules = self.rules.only_old_methods.iter();
        let rule = rules.find(|row| row.rule.key == method.proto_name);
        match rule {
            Some(rule) => self.mark("only_old_method", &rule.rule.key),
            None => {
                let message = format!("the operation `{}` has no newer one", method.proto_name);
                let hint = suggest::method_gone(self, method);
                self.faults
                    .push(Diagnostic::new(method.origin.clone(), message).hint(hint));
            }
        }
        MethodPlan {
            new: None,
            old: Some(index),
            request: None,
            response: None,
            refused: rule.and_then(|rule| rule.refused.clone()),
            rule: rule.map(|rule| rule.rule.clone()),
        }
    }
}
