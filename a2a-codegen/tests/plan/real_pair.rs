//! What the plan of the real pair says, where it matters most.

use a2a_codegen::model::{Api, Message};
use a2a_codegen::plan::model::{Absent, ConversionPlan, FieldKind, FieldPlan, How, Piece, Via};

use super::versions::Versions;

fn new(name: &str) -> String {
    format!("lf.a2a.v1.{name}")
}

fn fields<'p>(plan: &'p ConversionPlan, newer: &str, older: &str) -> &'p [FieldPlan] {
    let message = plan
        .message(&new(newer), older)
        .unwrap_or_else(|| panic!("{newer} <- {older} is planned"));
    let How::Fields(fields) = &message.how else {
        panic!("{newer}: {:?}", message.how);
    };
    fields
}

fn index(api: &Api, message: &str, field: &str) -> usize {
    let message: &Message = &api.messages[message];
    let found = message
        .fields
        .iter()
        .position(|each| each.proto_name == field);
    found.unwrap_or_else(|| panic!("{} has {field}", message.proto_name))
}

/// The plan that carries a newer field.
fn carried<'p>(plans: &'p [FieldPlan], api: &Api, newer: &str, field: &str) -> &'p FieldPlan {
    let wanted = index(api, &new(newer), field);
    let found = plans
        .iter()
        .find(|plan| matches!(plan.kind, FieldKind::Carry { new, .. } if new == wanted));
    found.unwrap_or_else(|| panic!("{newer}.{field} is carried"))
}

#[test]
fn an_id_is_never_read_as_another_one() {
    let versions = Versions::real();
    let plans = versions.planned();
    let json = plans.json.unwrap();
    let schema = versions.schema.as_ref().unwrap();
    for (newer, older) in [
        (
            "GetTaskPushNotificationConfigRequest",
            "GetTaskPushNotificationConfigParams",
        ),
        (
            "DeleteTaskPushNotificationConfigRequest",
            "DeleteTaskPushNotificationConfigParams",
        ),
    ] {
        let plans = fields(&json, newer, older);
        for (field, from) in [("task_id", "id"), ("id", "push_notification_config_id")] {
            let plan = carried(plans, &versions.new, newer, field);
            let FieldKind::Carry { old, .. } = plan.kind else {
                unreachable!()
            };
            assert_eq!(old, index(schema, older, from), "{newer}.{field}");
        }
    }
}

#[test]
fn a_resource_name_is_no_tenant() {
    let versions = Versions::real();
    let proto = versions.planned().proto;
    let plans = fields(&proto, "GetTaskRequest", "a2a.v1.GetTaskRequest");
    let id = index(&versions.new, &new("GetTaskRequest"), "id");
    assert!(plans.iter().any(|plan| {
        plan.kind
            == FieldKind::Template {
                old: 0,
                pieces: vec![Piece::Literal("tasks/".to_owned()), Piece::Field(id)],
            }
    }));
    let tenant = index(&versions.new, &new("GetTaskRequest"), "tenant");
    assert!(plans.iter().any(|plan| {
        plan.kind == FieldKind::OnlyNew { new: tenant } && plan.down_loss.as_deref() == Some("D1")
    }));
}

#[test]
fn blocking_is_the_opposite_and_its_absence_depends_on_the_spelling() {
    let versions = Versions::real();
    let plans = versions.planned();
    for (plan, older, meant) in [
        (
            &plans.proto,
            "a2a.v1.SendMessageConfiguration",
            Absent::Unset,
        ),
        (
            plans.json.as_ref().unwrap(),
            "MessageSendConfiguration",
            Absent::Bool {
                value: true,
                loss: Some("U8".to_owned()),
            },
        ),
    ] {
        let newer = "SendMessageConfiguration";
        let found = carried(
            fields(plan, newer, older),
            &versions.new,
            newer,
            "return_immediately",
        );
        let FieldKind::Carry {
            via,
            absent,
            always_down,
            ..
        } = &found.kind
        else {
            unreachable!()
        };
        assert_eq!(
            (via, absent, always_down),
            (&Via::Not, &meant, &true),
            "{older}"
        );
    }
}

#[test]
fn objects_are_told_apart_by_their_kind() {
    let json = Versions::real().planned().json.unwrap();
    let found = json
        .messages
        .iter()
        .find(|plan| plan.new == new("StreamResponse"))
        .unwrap();
    let How::Tagged { tag, variants, .. } = &found.how else {
        panic!("{:?}", found.how);
    };
    assert_eq!(tag, "kind");
    let values: Vec<_> = variants.iter().map(|v| (v.value.as_str(), v.new)).collect();
    let expected = [
        ("task", 0),
        ("message", 1),
        ("status-update", 2),
        ("artifact-update", 3),
    ];
    assert_eq!(values, expected);
}

#[test]
fn states_are_spelled_as_each_version_spells_them() {
    let plans = Versions::real().planned();
    let name = |plan: &ConversionPlan, number: i32| {
        let values = &plan.enums["lf.a2a.v1.TaskState"].values;
        let value = values.iter().find(|value| value.new == number).unwrap();
        value.old_name.clone()
    };
    assert_eq!(name(&plans.proto, 5), "TASK_STATE_CANCELLED");
    let json = plans.json.unwrap();
    for (number, text) in [
        (0, "unknown"),
        (1, "submitted"),
        (5, "canceled"),
        (6, "input-required"),
        (8, "auth-required"),
    ] {
        assert_eq!(name(&json, number), text);
    }
    assert_eq!(json.enums["lf.a2a.v1.Role"].refused[&0], "D10");
}

#[test]
fn a_flag_of_the_card_becomes_a_capability() {
    let versions = Versions::real();
    let plans = versions.planned();
    let path = vec![
        index(&versions.new, &new("AgentCard"), "capabilities"),
        index(
            &versions.new,
            &new("AgentCapabilities"),
            "extended_agent_card",
        ),
    ];
    for (plan, older) in [
        (&plans.proto, "a2a.v1.AgentCard"),
        (plans.json.as_ref().unwrap(), "AgentCard"),
    ] {
        let found = fields(plan, "AgentCard", older)
            .iter()
            .any(|plan| matches!(&plan.kind, FieldKind::Lift { new, .. } if *new == path));
        assert!(found, "{older}");
    }
}

#[test]
fn every_operation_has_its_pair_but_the_list_of_tasks() {
    let versions = Versions::real();
    let plans = versions.planned();
    let methods = &versions.new.services[0].methods;
    for plan in [&plans.proto, plans.json.as_ref().unwrap()] {
        assert_eq!(plan.methods.len(), 11);
        for method in &plan.methods {
            let name = &methods[method.new.unwrap()].proto_name;
            if name == "ListTasks" {
                assert_eq!(method.refused.as_deref(), Some("D10"));
                continue;
            }
            assert!(method.old.is_some(), "{name}");
            for (newer, older) in [&method.request, &method.response].into_iter().flatten() {
                assert!(
                    plan.message(newer, older).is_some(),
                    "{name}: {newer} <- {older}"
                );
            }
        }
    }
}
