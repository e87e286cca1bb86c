module {
  func.func @twice(%arg0: i32, %arg1: memref<?xf32>) -> i32 {
    %0 = arith.addi %arg0, %arg0 : i32
    return %0 : i32
  }
  func.func @main(%arg0: memref<?xf32>, %arg1: i1) -> i32 {
    %c4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    %0 = call @twice(%c4, %arg0) : (i32, memref<?xf32>) -> i32
    scf.for %i = %c0 to %c8 step %c1 {
      %v = memref.load %arg0[%i] : memref<?xf32>
      memref.store %v, %arg0[%c0] : memref<?xf32>
    }
    %1:2 = scf.if %arg1 -> (i32, i32) {
      scf.yield %0, %c4 : i32, i32
    } else {
      scf.yield %c4, %0 : i32, i32
    }
    cf.cond_br %arg1, ^bb1(%1#0 : i32), ^bb2
  ^bb1(%2: i32):  // pred: ^bb0
    %3 = arith.muli %2, %0 : i32
    cf.br ^bb3(%3 : i32)
  ^bb2:
    cf.br ^bb3(%0 : i32)
  ^bb3(%4: i32):
    return %4 : i32
  }
  llvm.func internal @low(%arg0: !llvm.ptr, %arg1: i32) -> i32 {
    %0 = llvm.load %arg0 {tbaa = [@tags::@tag]} : !llvm.ptr -> i32
    %1 = llvm.icmp "eq" %0, %arg1 : i32
    llvm.cond_br %1, ^bb1, ^bb2
  ^bb1:
    llvm.br ^bb2
  ^bb2:
    %2 = llvm.zext %1 : i1 to i32
    llvm.return %2 : i32
  }
  llvm.metadata @tags {
    llvm.tbaa_root @tag {id = "root"}
  }
}
