//! The order for the elements of a list. What is inside of them follows in the order for their
//! language.

use boildown_document::View;

use crate::pipeline::pass::{Method, Pass};
use crate::pipeline::pass_id::PassId;

pub(super) fn order() -> Vec<Pass> {
    let elements = |id, method| Pass::new(id, View::Elements, method);
    vec![
        elements(PassId::ELEMENTS, Method::Elements),
        elements(PassId::ORDERS, Method::Orders),
        elements(PassId::ELEMENT_GROUPS, Method::Clusters),
        elements(PassId::EACH_ELEMENT, Method::Window(1)),
    ]
}
