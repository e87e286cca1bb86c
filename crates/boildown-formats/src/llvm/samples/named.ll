; ModuleID = 'named.c'
source_filename = "named.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm ".globl inline"

%pair = type { i32, ptr }
%list = type { %pair, [2 x %pair], <4 x float> }
%opaque = type opaque

$shared = comdat any

@text = private unnamed_addr constant [3 x i8] c"hi\00", align 1
@count = dso_local global i32 7, section "s", align 4
@first = internal global %pair { i32 1, ptr @text }
@table = internal constant [2 x ptr] [ptr @twice, ptr @shared]
@inside = global ptr getelementptr inbounds ([2 x ptr], ptr @table, i64 0, i64 1)
@later = external thread_local(initialexec) global i8
@places = internal constant [2 x ptr] [ptr blockaddress(@jumps, %left), ptr blockaddress(@jumps, %right)]
@llvm.used = appending global [1 x ptr] [ptr @count], section "llvm.metadata"

@alias = weak alias i32, ptr @count
@picked = dso_local ifunc i32 (i32), ptr @resolver

; Function Attrs: nounwind
define internal fastcc i32 @twice(i32 noundef %x, ptr nocapture readonly %unused) unnamed_addr #0 {
entry:
  %double = mul nsw i32 %x, 2
  ret i32 %double
}

define linkonce_odr dso_local ptr @shared(ptr byval(%pair) align 8 %result, i64 %size) local_unnamed_addr comdat {
  %slot = alloca %pair, align 8
  %whole = load %pair, ptr %result, align 8
  %low = extractvalue %pair %whole, 0
  %sum = add i32 %low, 1
  %changed = insertvalue %pair %whole, i32 %sum, 0
  store %pair %changed, ptr %slot
  %address = getelementptr inbounds %pair, ptr %slot, i64 %size, i32 1
  %next = load ptr, ptr %address
  ret ptr %next
}

define dso_local i32 @main(i32 %argc, ptr %argv) #1 personality ptr @handler {
entry:
  %local = alloca i32, align 4
  store i32 %argc, ptr %local, align 4
  %many = icmp sgt i32 %argc, 1
  br i1 %many, label %some, label %none

some:                                             ; preds = %entry
  %called = tail call fastcc i32 @twice(i32 %argc, ptr @text), !note !1
  %sum = add nuw nsw i32 %called, %argc
  switch i32 %sum, label %none [
    i32 0, label %zero
    i32 5, label %none
    i32 -1, label %loop
  ]

zero:                                             ; preds = %some
  %wide = sext i32 %sum to i64
  %made = call ptr @shared(ptr byval(%pair) align 8 @first, i64 %wide)
  call void asm sideeffect "nop", "~{memory}"()
  br label %loop

loop:                                             ; preds = %loop, %zero, %some
  %i = phi i32 [ 0, %zero ], [ %sum, %some ], [ %j, %loop ]
  %j = add i32 %i, 1
  %old = atomicrmw add ptr %local, i32 %j seq_cst
  %more = icmp ult i32 %j, %argc
  br i1 %more, label %loop, label %try, !prof !2

try:                                              ; preds = %loop
  %tried = invoke i32 @external(i32 %j, double 1.000000e+00)
          to label %none unwind label %lost

lost:                                             ; preds = %try
  %caught = landingpad { ptr, i32 }
          cleanup
          catch ptr null
  %sort = extractvalue { ptr, i32 } %caught, 1
  %known = call i32 @llvm.eh.typeid.for(ptr null)
  %is = icmp eq i32 %sort, %known
  %chosen = select i1 %is, i32 %sort, i32 %argc
  br i1 %is, label %none, label %away

away:                                             ; preds = %lost
  resume { ptr, i32 } %caught

none:                                             ; preds = %lost, %try, %some, %some, %entry
  %result = phi i32 [ 0, %entry ], [ %sum, %some ], [ %sum, %some ], [ %tried, %try ], [ %chosen, %lost ]
  ret i32 %result
}

define void @jumps(ptr %to, <4 x float> %v) {
start:
  %lane = extractelement <4 x float> %v, i32 0
  %bigger = fadd fast float %lane, 2.000000e+00
  %back = insertelement <4 x float> %v, float %bigger, i32 1
  %mixed = shufflevector <4 x float> %back, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  indirectbr ptr %to, [label %left, label %right]

left:                                             ; preds = %start
  fence acquire
  call void (ptr, ...) @printf(ptr @text, <4 x float> %mixed)
  br label %right

right:                                            ; preds = %left, %start
  %kept = phi <4 x float> [ %v, %start ], [ %mixed, %left ]
  store <4 x float> %kept, ptr %to, align 16
  unreachable
}

define ptr @resolver() {
  ret ptr @twice
}

declare i32 @external(i32, double)

declare void @printf(ptr, ...)

declare i32 @handler(...)

declare i32 @llvm.eh.typeid.for(ptr) #2

attributes #0 = { nounwind "frame-pointer"="all" }
attributes #1 = { noinline "target-features"="+sse,+sse2" }
attributes #2 = { nounwind readnone }

!llvm.module.flags = !{!0}
!mine = !{!1, !3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{!"text", !3}
!2 = !{!"branch_weights", i32 1, i32 2000}
!3 = distinct !{!3, !1, null}
