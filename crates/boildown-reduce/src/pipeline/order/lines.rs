//! The order for any input of which only whole lines are deleted.

use boildown_document::View;

use crate::pipeline::pass::{Method, Pass, SmallestDeletion, UsualAlgorithm};
use crate::pipeline::pass_id::PassId;

pub(super) fn order() -> Vec<Pass> {
    let lines = |id, method| Pass::new(id, View::NestedLines, method);
    vec![
        lines(
            PassId::NESTED_LINES,
            Method::Tree(SmallestDeletion::OneToken),
        ),
        lines(PassId::LINES, Method::List(UsualAlgorithm::Halving)),
        lines(PassId::DELIMITERS, Method::Delimiters),
        lines(PassId::NODES, Method::Nodes),
        lines(PassId::EACH_LINE, Method::Window(1)),
    ]
}
