//! Facts about what is left of modules of SPIR-V.

use boildown_document::{
    Document,
    module_checks::{self, assert_given_back, assert_has, assert_lacks, without_units},
};
use proptest::prelude::*;

use super::INSTRUCTIONS;
use super::inlined::inlined;

const MODULE: &str = include_str!("../samples/fragment.spvasm");

fn without(text: &str, starts: &[&str]) -> String {
    module_checks::without(INSTRUCTIONS, text, starts)
}

#[test]
fn all_units_give_the_module_back() {
    assert_given_back(INSTRUCTIONS, MODULE);
}

#[test]
fn a_deleted_value_becomes_an_operand_or_an_undefined_value() {
    let text = without(MODULE, &["%next ="]);
    assert_has(&text, &["OpPhi %float %float_1 %5 %i %cont"]);
    let text = without(MODULE, &["%6 = OpLoad"]);
    assert_has(
        &text,
        &[
            "OpUndef %float",
            "OpFunctionCall %float %twice %i %undef_float",
        ],
    );
}

#[test]
fn a_deleted_part_of_what_was_made_of_parts_becomes_one_of_them() {
    let store = "OpStore %out %9";
    let parts = "%whole = OpCompositeConstruct %pair %9\n\
        %part = OpCompositeExtract %v4float %whole 0\nOpStore %out %part";
    let module = MODULE.replace(store, parts);
    let main = module
        .find("%main = OpFunction")
        .expect("there is an entry point");
    let (types, functions) = module.split_at(main);
    let module = format!("{types}%pair = OpTypeStruct %v4float\n{functions}");
    let text = without(&module, &["%part ="]);
    assert_has(&text, &[store]);
    assert_lacks(&text, &["OpUndef"]);
}

#[test]
fn the_name_of_an_entry_point_becomes_empty_and_comments_go() {
    let text = without(MODULE, &["\"main\" %in"]);
    assert_has(&text, &["OpEntryPoint Fragment %main \"\" %in %out"]);
    assert!(text.starts_with("OpCapability Shader"), "{text}");
}

#[test]
fn decorations_of_the_interface_go_together() {
    let text = without(MODULE, &["OpDecorate %in Location"]);
    assert_lacks(&text, &["Location"]);
}

#[test]
fn what_uses_a_deleted_variable_goes_with_it() {
    let text = without(MODULE, &["%out = OpVariable"]);
    assert_lacks(&text, &["OpStore", "OpDecorate %out", "%ptr_output"]);
    assert_has(&text, &["OpEntryPoint Fragment %main \"main\" %in\n"]);
}

#[test]
fn a_parameter_goes_with_its_arguments_and_the_type_follows() {
    let text = without(MODULE, &["%b = OpFunctionParameter"]);
    assert_has(
        &text,
        &[
            "%twice %i\n",
            "%twice = OpFunction %float None %type_twice",
            "%type_twice = OpTypeFunction %float %float\n",
        ],
    );
    assert_lacks(&text, &["%4 ="]);
}

#[test]
fn a_function_without_callers_stands_in_the_place_of_the_entry_point() {
    const UNCALLED: &str = "\
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"\"
OpDecorate %old RelaxedPrecision
%void = OpTypeVoid
%3 = OpTypeFunction %void
%float = OpTypeFloat 32
%4 = OpTypeFunction %float
%float_1 = OpConstant %float 1
%f = OpFunction %float None %4
%5 = OpLabel
%sum = OpFAdd %float %float_1 %float_1
OpReturnValue %sum
OpFunctionEnd
%main = OpFunction %void None %3
%6 = OpLabel
%old = OpFSub %float %float_1 %float_1
OpReturn
OpFunctionEnd
";
    let document = Document::new(&UNCALLED.as_bytes().into(), INSTRUCTIONS);
    let at = UNCALLED.find("OpFunctionEnd").expect("there is a function");
    let is_end = |token: &usize| document.tokens[*token].start as usize == at;
    let end = (0..document.len()).find(is_end).expect("it is a unit");
    let text = without_units(&document, [end..end + 1]);
    let contents =
        "%5 = OpLabel\n%sum = OpFAdd %float %float_1 %float_1\nOpReturn\nOpFunctionEnd\n";
    assert_has(
        &text,
        &[&format!("%main = OpFunction %void None %3\n{contents}")],
    );
    assert_lacks(&text, &["%f ", "%old", "OpReturnValue", "%6"]);
}

#[test]
fn a_function_stands_in_the_place_of_its_only_call() {
    let at = MODULE
        .rfind("OpFunctionEnd")
        .expect("the module has a function");
    let document = Document::new(&MODULE.as_bytes().into(), INSTRUCTIONS);
    let is_end = |token: &usize| document.tokens[*token].start as usize == at;
    let end = (0..document.len()).find(is_end).expect("it is a unit");
    let text = without_units(&document, [end..end + 1]);
    assert_has(
        &text,
        &[
            "%body = OpLabel\n         %11 = OpFAdd %float %i %i\n",
            "%next = OpFAdd %float %i %11\n",
        ],
    );
    assert_lacks(&text, &["%twice", "%10", "OpFunctionCall", "OpReturnValue"]);
}

#[test]
fn what_follows_a_call_belongs_to_the_last_block_of_the_function() {
    let module = MODULE.replace(
        "%11 = OpFAdd %float %a %a",
        "%c = OpFOrdLessThan %bool %a %b\n OpSelectionMerge %q None\n \
         OpBranchConditional %c %p %q\n %p = OpLabel\n OpBranch %q\n \
         %q = OpLabel\n %11 = OpPhi %float %a %10 %b %p",
    );
    let module = module.replace(
        "%next = OpFAdd %float %i %7",
        "%7p = OpPhi %float %7 %body\n %next = OpFAdd %float %i %7p",
    );
    let text = String::from_utf8(inlined(module.into(), &[b"%twice".to_vec()]));
    let text = text.expect("the module is UTF-8");
    assert_has(
        &text,
        &[
            "%11 = OpPhi %float %i %body %6 %p\n",
            "%7p = OpPhi %float %11 %q\n",
        ],
    );
}

#[test]
fn a_loop_without_its_merge_runs_once() {
    let text = without(MODULE, &["OpLoopMerge"]);
    assert_lacks(
        &text,
        &[
            "OpLoopMerge",
            "OpBranch %head\n               OpFunctionEnd",
        ],
    );
    let cont = &text[text.find("%cont = OpLabel").unwrap()..];
    let branch = &cont[cont.find("OpBranch ").unwrap()..];
    assert!(branch.starts_with("OpBranch %done"), "{text}");
    assert_has(&text, &["OpBranch %body"]);
}

#[test]
fn a_block_that_nothing_jumps_to_stays_until_it_is_deleted() {
    let module = MODULE.replace(
        "       %then = OpLabel",
        "               OpBranch %end\n       %dead = OpLabel\n               OpKill\n       \
         %then = OpLabel",
    );
    let module = module.replace(" OpBranchConditional %gt %then %end\n", "");
    let module = module.replace("OpSelectionMerge %end None", "");
    let text = without(&module, &["%lt ="]);
    assert_has(&text, &["%dead = OpLabel\n               OpKill\n"]);
    assert_lacks(&without(&module, &["%dead ="]), &["%dead", "OpKill"]);
}

#[test]
fn a_condition_without_one_target_becomes_a_plain_jump() {
    let text = without(MODULE, &["%then %end"]);
    assert_lacks(
        &text,
        &["OpSelectionMerge", "%then = OpLabel", "OpExtInst %float"],
    );
    assert_has(&text, &["OpPhi %float %i %done\n"]);
}

#[test]
fn calls_of_a_deleted_function_go() {
    let text = without(MODULE, &["%twice = OpFunction"]);
    assert_lacks(
        &text,
        &["OpFunctionCall", "OpName %twice", "OpTypeFunction %float"],
    );
    assert_has(&text, &["%next = OpFAdd %float %i"]);
}

#[test]
fn names_stand_only_where_they_are_defined() {
    let text = without(MODULE, &["%6 = ", "%in ="]);
    assert_lacks(&text, &["%ptr_input", "%in "]);
}

#[test]
fn a_text_that_is_no_module_is_one_token() {
    for text in [
        "",
        "OpNothing",
        "%a = OpLabel\nOpFunction",
        "OpMemoryModel\nOpFunction %a",
    ] {
        let document = Document::new(&text.as_bytes().into(), INSTRUCTIONS);
        assert!(
            !document.is_module() || !text.contains("OpFunction"),
            "{text}"
        );
    }
}

#[test]
fn the_undefined_values_of_many_types_get_names() {
    let types = (0..10_000).map(|id| format!("%t{id} = OpTypeVector %float 4\n"));
    let values = (0..10_000).map(|id| {
        format!("%a{id} = OpCopyObject %t{id} %c\n%b{id} = OpCopyObject %t{id} %a{id}\n")
    });
    let text = format!(
        "OpMemoryModel Logical GLSL450\n%float = OpTypeFloat 32\n%void = OpTypeVoid\n\
         %c = OpConstant %float 1\n%f = OpTypeFunction %void\n{}\
         %main = OpFunction %void None %f\n%first = OpLabel\n{}OpReturn\nOpFunctionEnd\n",
        types.collect::<String>(),
        values.collect::<String>(),
    );
    let text = module_checks::without(INSTRUCTIONS, &text, &["%a"]);
    assert_eq!(text.matches(" = OpUndef ").count(), 10_000);
}

proptest! {
    #[test]
    fn broken_modules_are_written_without_panicking(
        lines in prop::collection::vec(any::<bool>(), 70),
        kept in prop::collection::vec(any::<bool>(), 80),
    ) {
        let is_left = |(line, keep): &(&str, bool)| *keep || line.contains("Memory");
        let lines = MODULE.lines().zip(lines).filter(is_left);
        let text: String = lines.map(|(line, _)| format!("{line}\n")).collect();
        module_checks::assert_anything_is_written(INSTRUCTIONS, &text, &[], &kept);
    }
}

#[test]
fn a_module_does_the_same_without_idle_units() {
    let text = "\
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main \"\"
       %void = OpTypeVoid
          %3 = OpTypeFunction %void
        %int = OpTypeInt 32 1
        %one = OpConstant %int 1
        %ptr = OpTypePointer Function %int
       %main = OpFunction %void None %3
          %5 = OpLabel
          %i = OpVariable %ptr Function
          %j = OpVariable %ptr Function
               OpStore %j %one
               OpBranch %next
       %next = OpLabel
               OpReturn
               OpFunctionEnd
";
    let text = module_checks::without_idle_units(INSTRUCTIONS, text);
    assert_lacks(&text, &["%i =", "%next"]);
    assert_has(&text, &["OpStore %j %one\n               OpReturn"]);
}
