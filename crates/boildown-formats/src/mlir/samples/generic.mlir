"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: i1, %b: i32):
    "cf.cond_br"(%a, %b)[^bb1, ^bb2] {operand_segment_sizes = array<i32: 1, 1, 0>} : (i1, i32) -> ()
  ^bb1(%c: i32):
    %d = "arith.addi"(%c, %b) : (i32, i32) -> i32
    "func.return"(%d) : (i32) -> ()
  ^bb2:
    "func.return"(%b) : (i32) -> ()
  }) {function_type = (i1, i32) -> i32, sym_name = "f"} : () -> ()
  "func.func"() ({
  ^bb0(%a: i1, %b: i32):
    %r = "func.call"(%a, %b) {callee = @f} : (i1, i32) -> i32
    "func.return"(%b) : (i32) -> ()
  }) {function_type = (i1, i32) -> i32, sym_name = "g"} : () -> ()
}) : () -> ()
