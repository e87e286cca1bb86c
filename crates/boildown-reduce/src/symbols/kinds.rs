//! Parts of the names of kinds of nodes, by what such nodes do to names.

/// Parts of the names of kinds that annotate the node beside them.
pub(super) const ANNOTATION_KINDS: &[&str] = &["requires", "attribute", "access_specifier"];

/// Parts of the names of kinds that are words but not names.
pub(super) const NOT_NAME_KINDS: &[&str] = &[
    "keyword",
    "primitive",
    "predefined",
    "integral",
    "floating",
    "void",
    "bool",
    "true",
    "false",
    "null",
    "none",
    "this",
    "self",
    "super",
    "string",
    "comment",
    "char",
    "number",
    "text",
    "escape",
    "modifier",
    "qualifier",
    "storage",
];

/// Parts of the names of kinds whose field `name` is declared there.
pub(super) const DECLARATION_KINDS: &[&str] = &[
    "declar",
    "defin",
    "_item",
    "_def",
    "enumerator",
    "variant",
    "param",
    "_spec",
    "signature",
    "function",
    "class",
    "method",
    "module",
    "import",
    "create",
    "binding",
    "alias",
];

/// Parts of the names of kinds that declare or define something even without a name.
pub(super) const DECLARING_KINDS: &[&str] = &[
    "declar",
    "defin",
    "_item",
    "instantiation",
    "extension",
    "instance",
];

/// Parts of the names of kinds whose contents belong to them, with a name or without.
pub(super) const TYPE_KINDS: &[&str] = &[
    "struct",
    "class",
    "union",
    "enum",
    "trait",
    "interface",
    "impl",
];

/// Parts of the names of kinds that are names with qualifiers or arguments.
pub(super) const PATH_KINDS: &[&str] = &[
    "qualified",
    "template_type",
    "template_function",
    "object_reference",
];

/// Parts of the names of kinds of lists of definitions.
pub(super) const LIST_KINDS: &[&str] = &["column_definitions"];

/// Parts of the names of kinds of types whose members only those use who have a value of them.
pub(super) const HOLDING_KINDS: &[&str] = &["struct", "class", "union", "trait", "interface"];

/// Parts of the names of kinds that name what values are of or what holds them, in addition to
/// [`TYPE_KINDS`].
pub(super) const NAMED_KINDS: &[&str] = &["type", "alias", "record", "object", "table", "view"];

/// Parts of the names of kinds whose field `name` is a mention, although they look like
/// declarations.
pub(super) const MENTION_KINDS: &[&str] = &[
    "call",
    "invocation",
    "access",
    "expression",
    "argument",
    "element",
    "attribute",
    "reference",
    "identifier",
    "template_type",
    "template_function",
    "template_method",
    "generic",
    "scoped",
    "macro_inv",
];

/// Parts of the names of kinds that have a body but are no scope: their contents are visible
/// outside.
pub(super) const TRANSPARENT_KINDS: &[&str] = &[
    "struct",
    "class",
    "enum",
    "union",
    "impl",
    "trait",
    "mod",
    "interface",
    "namespace",
    "object",
    "package",
    "linkage",
    "extern",
];
