//! What a plan does, as text to compare: without the rules that it follows from.

use std::fmt::Write as _;

use a2a_codegen::plan::Plans;
use a2a_codegen::plan::model::{ConversionPlan, FieldPlan, How};

pub(crate) fn shape(plans: &Plans) -> String {
    let mut out = String::new();
    one(&plans.proto, &mut out);
    if let Some(json) = &plans.json {
        one(json, &mut out);
    }
    out
}

fn one(plan: &ConversionPlan, out: &mut String) {
    writeln!(out, "{:?}", plan.encoding).unwrap();
    for message in &plan.messages {
        writeln!(
            out,
            "{} <- {} {:?}",
            message.new, message.old, message.hook_losses
        )
        .unwrap();
        match &message.how {
            How::Fields(all) => fields(all, out),
            How::Bare { new, dropped } => {
                writeln!(out, "  bare {new}").unwrap();
                fields(dropped, out);
            }
            other => writeln!(out, "  {other:?}").unwrap(),
        }
    }
    for each in plan.enums.values() {
        writeln!(
            out,
            "{} <- {} {:?} {:?} {:?} {:?}",
            each.new, each.old, each.values, each.refused, each.only_old, each.unknown_loss
        )
        .unwrap();
    }
    for method in &plan.methods {
        writeln!(
            out,
            "{:?} <- {:?} {:?} {:?} {:?}",
            method.new, method.old, method.request, method.response, method.refused
        )
        .unwrap();
    }
    writeln!(out, "{:?}", plan.losses).unwrap();
}

fn fields(plans: &[FieldPlan], out: &mut String) {
    for plan in plans {
        writeln!(
            out,
            "  {:?} {:?} {:?} {:?}",
            plan.kind, plan.up_loss, plan.down_loss, plan.hook_losses
        )
        .unwrap();
    }
}
