spirv.module Logical GLSL450 {
  spirv.GlobalVariable @g : !spirv.ptr<f32, Input>
  spirv.func @f(%a: i32) -> i32 "None" {
    %p = spirv.mlir.addressof @g : !spirv.ptr<f32, Input>
    %x = spirv.Load "Input" %p : f32
    %y = spirv.IAdd %a, %a : i32
    %z = spirv.ConvertFToS %x : f32 to i32
    %c = spirv.SLessThan %z, %y : i32
    spirv.BranchConditional %c, ^b1, ^b2
  ^b1:
    spirv.ReturnValue %z : i32
  ^b2:
    spirv.ReturnValue %y : i32
  }
}
