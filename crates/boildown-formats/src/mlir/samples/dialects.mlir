#map = affine_map<(d0) -> (d0)>
#reversed = affine_map<(d0)[s0] -> (-d0 + s0)>
#positive = affine_set<(d0)[s0] : (d0 >= 0, s0 - d0 >= 0)>
!vector = vector<4xf32>
module @outer {
  memref.global "private" constant @table : memref<2x2xf32> = dense<[[1.5, 2.0], [3.0, -4.0]]>
  func.func private @callee(f32, index) -> (f32, i64)
  func.func @tensors(%t: tensor<4xf32>, %b: f32) -> tensor<4xf32> {
    %g = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = arith.addf %x, %b : f32
      %m = arith.maxf %s, %o : f32
      linalg.yield %m : f32
    } -> tensor<4xf32>
    %c1 = arith.constant 1 : index
    %e = tensor.extract %g[%c1] : tensor<4xf32>
    %i = tensor.insert %e into %t[%c1] : tensor<4xf32>
    return %i : tensor<4xf32>
  }
  func.func @loops(%n: index, %m: memref<?xf32>, %flag: i1) -> f32 {
    %zero = arith.constant 0.000000e+00 : f32
    %low = arith.constant 0 : index
    %step = arith.constant 2 : index
    %table = memref.get_global @table : memref<2x2xf32>
    %sum = scf.for %i = %low to %n step %step iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %m[%i] : memref<?xf32>
      %w = memref.load %table[%low, %low] : memref<2x2xf32>
      %a = arith.addf %acc, %v : f32
      %r = scf.if %flag -> (f32) {
        %pair:2 = func.call @callee(%a, %i) : (f32, index) -> (f32, i64)
        scf.yield %pair#0 : f32
      } else {
        scf.yield %w : f32
      }
      scf.yield %r : f32
    }
    affine.for %j = 0 to 16 {
      %k = affine.apply #reversed(%j)[%n]
      affine.if #positive(%j)[%n] {
        %q = affine.load %m[%j] : memref<?xf32>
        affine.store %q, %m[%j + 1] : memref<?xf32>
      }
    }
    %wide = scf.while (%x = %sum) : (f32) -> f32 {
      %more = arith.cmpf olt, %x, %zero : f32
      scf.condition(%more) %x : f32
    } do {
    ^bb0(%y: f32):
      %z = arith.mulf %y, %y : f32
      scf.yield %z : f32
    }
    scf.parallel (%p) = (%low) to (%n) step (%step) {
      memref.store %wide, %m[%p] : memref<?xf32>
      scf.yield
    }
    return %wide : f32
  }
  func.func @branches(%c: i1, %a: i32, %b: i32) -> (i32, i32) attributes {note} {
    cf.cond_br %c, ^left(%a : i32), ^right(%a, %b : i32, i32)
  ^left(%x: i32):
    %y = arith.select %c, %x, %b : i32
    cf.switch %y : i32, [
      default: ^right(%x, %y : i32, i32),
      3: ^left(%b : i32),
      7: ^end
    ]
  ^right(%p: i32, %q: i32):
    %r = arith.divsi %p, %q : i32
    cf.br ^end
  ^end:
    %v = vector.splat %b : vector<4xi32>
    %w = vector.extract %v[1] : vector<4xi32>
    return %w, %a : i32, i32
  }
  func.func @main(%f: f32) -> i32 {
    %n = arith.constant 4 : index
    %true = arith.constant true
    %c7 = arith.constant 7 : i32
    %m = memref.alloc(%n) : memref<?xf32>
    %r = call @loops(%n, %m, %true) : (index, memref<?xf32>, i1) -> f32
    %t = tensor.splat %f : tensor<4xf32>
    %u = call @tensors(%t, %r) : (tensor<4xf32>, f32) -> tensor<4xf32>
    %s:2 = call @branches(%true, %c7, %c7) : (i1, i32, i32) -> (i32, i32)
    "test.use"(%u, %r) {callee = @branches, map = #map} : (tensor<4xf32>, f32) -> ()
    memref.dealloc %m : memref<?xf32>
    return %s#1 : i32
  }
  module @inner {
    llvm.mlir.global internal constant @text("hi\00") : !llvm.array<3 x i8>
    llvm.func @printf(!llvm.ptr<i8>, ...) -> i32
    llvm.func @low(%p: !llvm.ptr<i32>, %i: i32) -> i32 attributes {passthrough = ["nounwind"]} {
      %text = llvm.mlir.addressof @text : !llvm.ptr<array<3 x i8>>
      %old = llvm.load %p : !llvm.ptr<i32>
      %new = llvm.add %old, %i : i32
      llvm.store %new, %p : !llvm.ptr<i32>
      %same = llvm.icmp "eq" %old, %i : i32
      llvm.cond_br %same, ^one, ^two(%new : i32)
    ^one:
      %first = llvm.bitcast %text : !llvm.ptr<array<3 x i8>> to !llvm.ptr<i8>
      %n = llvm.call @printf(%first, %i) : (!llvm.ptr<i8>, i32) -> i32
      llvm.br ^two(%n : i32)
    ^two(%result: i32):
      llvm.return %result : i32
    }
  }
}
