//! Classes of kinds of nodes, by what such nodes do to names.

/// A class of kinds of nodes. Parts of the names of the kinds tell it, whatever the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KindClass {
    /// They annotate the node beside them.
    Annotation,
    /// They are words but not names.
    NotName,
    /// Their field `name` is declared there.
    Declaration,
    /// They declare or define something even without a name.
    Declaring,
    /// Their contents belong to them, with a name or without.
    Type,
    /// They are names with qualifiers or arguments.
    Path,
    /// They are lists of definitions.
    List,
    /// They are types whose members only those use who have a value of them.
    Holding,
    /// They name what values are of or what holds them, in addition to `Type`.
    Named,
    /// Their field `name` is a mention, although they look like declarations.
    Mention,
    /// They have a body but are no scope: their contents are visible outside.
    Transparent,
    /// They declare a name around which there may be more.
    Declarator,
    /// A name that they hold is declared where they are.
    Pattern,
    /// They make names of elsewhere known.
    Import,
    /// The same, of a name with its qualifiers.
    Using,
    /// A name in no field of them is declared.
    Bringing,
    /// They announce or define a type.
    Specifier,
    /// They are statements of SQL that create something.
    Creation,
    /// They are about an index of SQL.
    Index,
    /// Their field `left` is declared there.
    Binding,
    /// Their field `left` is assigned to.
    Assignment,
    /// They are parameters, or lists of them.
    Parameter,
    /// The same, of types too.
    Param,
    /// A type in them is only announced.
    DeclarationList,
    /// They are declarations, or lists of them.
    AnyDeclaration,
    /// They are declarations within which a type is no announcement.
    Friend,
    /// They are blocks, in which declarations hold.
    Block,
    /// They are functions, in which assignments hold.
    Callable,
    /// They hold blocks only where the grammar did not understand the text.
    Stray,
}

impl KindClass {
    /// Returns the texts of which the names of such kinds have one.
    pub(super) fn parts(self) -> impl Iterator<Item = &'static str> {
        let parts = match self {
            Self::Annotation => "requires attribute access_specifier",
            Self::NotName => {
                "keyword primitive predefined integral floating void bool true false \
                 null none this self super string comment char number text escape \
                 modifier qualifier storage"
            }
            Self::Declaration => {
                "declar defin _item _def enumerator variant param _spec signature \
                 function class method module import create binding alias"
            }
            Self::Declaring => "declar defin _item instantiation extension instance",
            Self::Type => "struct class union enum trait interface impl",
            Self::Path => "qualified template_type template_function object_reference",
            Self::List => "column_definitions",
            Self::Holding => "struct class union trait interface",
            Self::Named => "type alias record object table view",
            Self::Mention => {
                "call invocation access expression argument element attribute reference \
                 identifier template_type template_function template_method generic \
                 scoped macro_inv"
            }
            Self::Transparent => {
                "struct class enum union impl trait mod interface namespace object \
                 package linkage extern"
            }
            Self::Declarator => "declarator",
            Self::Pattern => "pattern declarator _list dotted operator_name",
            Self::Import => "import",
            Self::Using => "using",
            Self::Bringing => "parameter import use_",
            Self::Specifier => "specifier",
            Self::Creation => "create_",
            Self::Index => "index",
            Self::Binding => "short_var for let",
            Self::Assignment => "assign",
            Self::Parameter => "parameter",
            Self::Param => "param",
            Self::DeclarationList => "declaration_list template_decl",
            Self::AnyDeclaration => "declaration",
            Self::Friend => "parameter friend",
            Self::Block => "block compound",
            Self::Callable => "function method lambda",
            Self::Stray => "declaration_list ERROR",
        };
        parts.split_ascii_whitespace()
    }
}
