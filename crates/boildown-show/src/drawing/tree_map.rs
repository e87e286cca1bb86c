//! The tree map: the input as nested rectangles, whose areas are bytes.

use std::collections::BinaryHeap;
use std::fmt::Write as _;
use std::ops::Range;

use super::at;
use crate::escape;
use crate::format::real;
use crate::model::PartRecord;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 420.0;

/// The number of rectangles, about.
const MAX_LEAVES: usize = 420;

/// What a rectangle shows.
#[derive(Debug, Clone)]
pub(crate) struct LeafLook {
    /// The class of the colour.
    pub(crate) class: &'static str,
    /// The part of its bytes that is left, from 0 to 1.
    pub(crate) kept: f64,
    /// The text for a reader that points at it.
    pub(crate) title: String,
}

/// A tree of byte ranges.
#[derive(Debug)]
struct MapNode {
    bytes: Range<usize>,
    children: Vec<usize>,
}

/// Returns the drawing of an input of this size. `look` says how to show the given byte ranges.
pub(crate) fn svg(
    parts: &[PartRecord],
    length: usize,
    look: impl Fn(&[Range<usize>]) -> LeafLook,
) -> String {
    let map = TreeMap::new(parts, length);
    let mut svg = format!(
        "<svg class=map viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"The input as rectangles, by the time at which each part went\">\n"
    );
    let area = Area {
        x: 0.0,
        y: 0.0,
        width: WIDTH,
        height: HEIGHT,
    };
    map.draw(0, area, &look, &mut svg);
    svg + "</svg>\n"
}

struct TreeMap {
    nodes: Vec<MapNode>,
    is_open: Vec<bool>,
}

impl TreeMap {
    fn new(parts: &[PartRecord], length: usize) -> Self {
        let mut nodes = vec![MapNode {
            bytes: 0..length,
            children: Vec::new(),
        }];
        // The nodes that hold the last one, from the root on.
        let mut holders = vec![0];
        for part in parts {
            while let [_, .., last] = holders.as_slice() {
                let outer: &Range<usize> = &nodes[*last].bytes;
                if outer.start <= part.bytes.start && part.bytes.end <= outer.end {
                    break;
                }
                holders.pop();
            }
            let holder = holders.last().copied().unwrap_or(0);
            let is_new = nodes[holder].bytes != part.bytes && part.bytes.end <= length;
            if part.bytes.is_empty() || !is_new {
                continue;
            }
            let id = nodes.len();
            nodes.push(MapNode {
                bytes: part.bytes.clone(),
                children: Vec::new(),
            });
            nodes[holder].children.push(id);
            holders.push(id);
        }
        let is_open = Self::opened(&nodes);
        Self { nodes, is_open }
    }

    /// Opens the largest nodes until there are enough rectangles.
    fn opened(nodes: &[MapNode]) -> Vec<bool> {
        let mut is_open = vec![false; nodes.len()];
        let mut leaves = 1;
        let mut largest = BinaryHeap::from([(nodes[0].bytes.len(), 0)]);
        while let Some((_, id)) = largest.pop() {
            let children = &nodes[id].children;
            if children.is_empty() {
                continue;
            }
            // The children of a node are many in data: they are grouped when drawn.
            leaves += children.len().min(MAX_LEAVES / 4);
            if leaves > MAX_LEAVES {
                break;
            }
            is_open[id] = true;
            largest.extend((children.iter()).map(|child| (nodes[*child].bytes.len(), *child)));
        }
        is_open
    }

    fn draw(
        &self,
        id: usize,
        area: Area,
        look: &impl Fn(&[Range<usize>]) -> LeafLook,
        svg: &mut String,
    ) {
        let node = &self.nodes[id];
        if !self.is_open[id] || area.width < 6.0 || area.height < 6.0 {
            area.draw(&look(std::slice::from_ref(&node.bytes)), svg);
            return;
        }
        let mut items = self.items(node);
        items.sort_by_key(|item| std::cmp::Reverse(item.size()));
        let inner = if id == 0 { area } else { area.inset(1.0) };
        let sizes: Vec<f64> = items.iter().map(|item| real(item.size() as u64)).collect();
        for (item, area) in items.iter().zip(squarified(&sizes, inner)) {
            match item {
                MapItem::Node(child, _) => self.draw(*child, area, look, svg),
                MapItem::Rest(ranges) => area.draw(&look(ranges), svg),
            }
        }
    }

    /// Returns the children of a node and the bytes between them. The smallest of many children
    /// are one item.
    fn items(&self, node: &MapNode) -> Vec<MapItem> {
        let mut rest = Vec::new();
        let mut from = node.bytes.start;
        let mut items = Vec::new();
        for &child in &node.children {
            let bytes = self.nodes[child].bytes.clone();
            if from < bytes.start {
                rest.push(from..bytes.start);
            }
            from = from.max(bytes.end);
            items.push(MapItem::Node(child, bytes));
        }
        if from < node.bytes.end {
            rest.push(from..node.bytes.end);
        }
        items.sort_by_key(|item| std::cmp::Reverse(item.size()));
        let many = items.split_off(items.len().min(MAX_LEAVES / 4));
        rest.extend(many.into_iter().filter_map(|item| match item {
            MapItem::Node(_, bytes) => Some(bytes),
            MapItem::Rest(_) => None,
        }));
        if !rest.is_empty() {
            items.push(MapItem::Rest(rest));
        }
        items
    }
}

enum MapItem {
    Node(usize, Range<usize>),
    Rest(Vec<Range<usize>>),
}

impl MapItem {
    fn size(&self) -> usize {
        match self {
            Self::Node(_, bytes) => bytes.len(),
            Self::Rest(ranges) => ranges.iter().map(ExactSizeIterator::len).sum(),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn inset(self, margin: f64) -> Self {
        Self {
            x: self.x + margin,
            y: self.y + margin,
            width: (self.width - 2.0 * margin).max(0.0),
            height: (self.height - 2.0 * margin).max(0.0),
        }
    }

    fn draw(self, look: &LeafLook, svg: &mut String) {
        if self.width < 0.2 || self.height < 0.2 {
            return;
        }
        let LeafLook { class, kept, title } = look;
        write!(
            svg,
            "<g><title>{}</title><rect class={class} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            escape::text(title),
            at(self.x),
            at(self.y),
            at(self.width),
            at(self.height)
        )
        .ok();
        if *kept > 0.0 {
            // At least a line, so that a small rest of a large part is seen.
            let height = (self.height * kept).max(2.0).min(self.height);
            write!(
                svg,
                "<rect class=kept x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                at(self.x),
                at(self.y + self.height - height),
                at(self.width),
                at(height)
            )
            .ok();
        }
        svg.push_str("</g>\n");
    }
}

/// Divides an area by these sizes, which descend, into rectangles that are nearly squares.
///
/// Source: M. Bruls, K. Huizing, J. J. van Wijk, *Squarified Treemaps*, 2000.
fn squarified(sizes: &[f64], mut area: Area) -> Vec<Area> {
    let total: f64 = sizes.iter().sum();
    let mut areas = Vec::with_capacity(sizes.len());
    if total <= 0.0 {
        return vec![area; sizes.len()];
    }
    let scale = area.width * area.height / total;
    let mut rest = sizes;
    while !rest.is_empty() {
        let side = area.width.min(area.height);
        let mut row = 1;
        while row < rest.len()
            && worst(&rest[..=row], scale, side) <= worst(&rest[..row], scale, side)
        {
            row += 1;
        }
        let sum: f64 = rest[..row].iter().sum::<f64>() * scale;
        let thickness = if side > 0.0 { sum / side } else { 0.0 };
        let mut along = 0.0;
        for size in &rest[..row] {
            let length = if thickness > 0.0 {
                size * scale / thickness
            } else {
                0.0
            };
            areas.push(if area.width >= area.height {
                Area {
                    x: area.x,
                    y: area.y + along,
                    width: thickness,
                    height: length,
                }
            } else {
                Area {
                    x: area.x + along,
                    y: area.y,
                    width: length,
                    height: thickness,
                }
            });
            along += length;
        }
        if area.width >= area.height {
            area.x += thickness;
            area.width = (area.width - thickness).max(0.0);
        } else {
            area.y += thickness;
            area.height = (area.height - thickness).max(0.0);
        }
        rest = &rest[row..];
    }
    areas
}

/// Returns the worst ratio of the sides of rectangles in a row along a side of this length.
fn worst(row: &[f64], scale: f64, side: f64) -> f64 {
    let sum = row.iter().sum::<f64>() * scale;
    let (small, large) = (row.iter()).fold((f64::MAX, 0.0_f64), |(small, large), size| {
        (small.min(size * scale), large.max(size * scale))
    });
    let square = side * side;
    (square * large / (sum * sum)).max(sum * sum / (square * small.max(1e-12)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_have_the_areas_of_their_sizes_and_do_not_overlap() {
        let area = Area {
            x: 0.0,
            y: 0.0,
            width: 60.0,
            height: 40.0,
        };
        let sizes = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0];
        let areas = squarified(&sizes, area);
        for (size, area) in sizes.iter().zip(&areas) {
            assert!((area.width * area.height - size * 100.0).abs() < 1e-6);
        }
        for (index, a) in areas.iter().enumerate() {
            for b in &areas[index + 1..] {
                let width = (a.x + a.width).min(b.x + b.width) - a.x.max(b.x);
                let height = (a.y + a.height).min(b.y + b.height) - a.y.max(b.y);
                assert!(width < 1e-6 || height < 1e-6, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_map_of_many_parts_is_small() {
        let parts: Vec<PartRecord> = (0..50_000)
            .map(|line| PartRecord {
                bytes: line * 10..line * 10 + 9,
            })
            .collect();
        let svg = svg(&parts, 500_000, |ranges| LeafLook {
            class: "w1",
            kept: 0.0,
            title: format!("{ranges:?}").chars().take(20).collect(),
        });
        assert!(svg.len() < 100_000, "{}", svg.len());
        assert!(!svg.contains("NaN"));
    }
}
