//! The order for the elements of a list. What is inside of them follows in the order for their
//! language.

use crate::document::View;
use crate::pipeline::pass::{Method, Pass, PassId};

pub(super) fn order() -> Vec<Pass> {
    let elements = |id, method| Pass::new(id, View::Elements, method);
    vec![
        elements(PassId::Elements, Method::Elements),
        elements(PassId::Orders, Method::Orders),
        elements(PassId::EachElement, Method::Window(1)),
    ]
}
