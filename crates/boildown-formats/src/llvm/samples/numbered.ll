%0 = type { i32, %1 }
%1 = type { ptr, i64 }

@0 = private global %0 zeroinitializer
@1 = global ptr @0

define i32 @2(i32 %0, ptr %1) {
  %3 = icmp sgt i32 %0, 1
  br i1 %3, label %4, label %9

4:                                                ; preds = %2
  %5 = call i32 @3(i32 %0, ptr @0)
  %6 = add i32 %5, %0
  %7 = getelementptr %0, ptr %1, i32 0, i32 1, i32 1
  store i32 %6, ptr %7
  switch i32 %6, label %9 [
    i32 0, label %8
    i32 5, label %9
  ]

8:                                                ; preds = %4
  br label %9

9:                                                ; preds = %8, %4, %4, %2
  %10 = phi i32 [ 0, %2 ], [ %6, %4 ], [ %6, %4 ], [ 3, %8 ]
  %11 = call i1 @4(i32 %10)
  br i1 %11, label %12, label %16

12:                                               ; preds = %9
  %13 = load i32, ptr %1
  %14 = mul i32 %13, %10
  call void @5(i32 %14)
  br label %15

15:                                               ; preds = %12
  br label %16

16:                                               ; preds = %15, %9
  %17 = phi i32 [ %14, %15 ], [ %10, %9 ]
  ret i32 %17
}

define internal i32 @3(i32 %0, ptr %1) {
  %3 = load i32, ptr %1
  call void @5(i32 1)
  call i1 @4(i32 2)
  %5 = add i32 %3, %0
  ret i32 %5
}

declare i1 @4(i32)

declare void @5(i32)
