//! The order for any input of which only whole lines are deleted.

use boildown_search::algorithms::Algorithm;

use crate::document::View;
use crate::pipeline::pass::{Method, Pass, PassId, SmallestDeletion};

pub(super) fn order() -> Vec<Pass> {
    let lines = |id, method| Pass::new(id, View::NestedLines, method);
    vec![
        lines(
            PassId::NestedLines,
            Method::Tree(SmallestDeletion::OneToken),
        ),
        lines(PassId::Lines, Method::List(Algorithm::HALVING)),
        lines(PassId::Delimiters, Method::Delimiters),
        lines(PassId::Nodes, Method::Nodes),
        lines(PassId::EachLine, Method::Window(1)),
    ]
}
