target triple = "x86_64-unknown-linux-gnu"

@counter = global i32 3, align 4, !dbg !0

; Function Attrs: nounwind uwtable
define dso_local i32 @square(i32 noundef %0) #0 !dbg !14 {
  call void @llvm.dbg.value(metadata i32 %0, metadata !18, metadata !DIExpression()), !dbg !19
  %2 = mul nsw i32 %0, %0, !dbg !20
  ret i32 %2, !dbg !21
}

declare void @llvm.dbg.value(metadata, metadata, metadata) #1

declare void @llvm.dbg.declare(metadata, metadata, metadata) #1

define dso_local i32 @caller(ptr %0) #0 !dbg !22 {
  %2 = alloca i32, align 4
  call void @llvm.dbg.declare(metadata ptr %2, metadata !27, metadata !DIExpression(DW_OP_deref)), !dbg !28
  %3 = load i32, ptr %0, align 4, !dbg !30, !tbaa !31
  br label %4, !dbg !30

4:                                                ; preds = %4, %1
  %5 = phi i32 [ %3, %1 ], [ %7, %4 ]
  call void @llvm.dbg.value(metadata i32 %5, metadata !29, metadata !DIExpression(DW_OP_plus_uconst, 4, DW_OP_stack_value)), !dbg !30
  store i32 %5, ptr %2, align 4, !dbg !35
  %6 = call i32 @square(i32 noundef %5), !dbg !36
  %7 = add nsw i32 %6, 1, !dbg !36
  %8 = icmp slt i32 %7, 10, !dbg !36
  br i1 %8, label %4, label %9, !dbg !36, !llvm.loop !37

9:                                                ; preds = %4
  ret i32 %6, !dbg !38
}

attributes #0 = { nounwind uwtable "frame-pointer"="all" }
attributes #1 = { nocallback nofree nosync nounwind readnone speculatable willreturn }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!9, !10, !11}
!llvm.ident = !{!13}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "counter", scope: !2, file: !3, line: 1, type: !5, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "compiler", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, globals: !4, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "a.c", directory: "/tmp", checksumkind: CSK_MD5, checksum: "4b9a1d1c0b1c1d1e1f2a3b4c5d6e7f80")
!4 = !{!0}
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !DICompositeType(tag: DW_TAG_structure_type, name: "node", file: !3, line: 2, size: 128, elements: !7)
!7 = !{!8}
!8 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !6, file: !3, line: 3, baseType: !12, size: 64)
!9 = !{i32 7, !"Dwarf Version", i32 5}
!10 = !{i32 2, !"Debug Info Version", i32 3}
!11 = !{i32 1, !"wchar_size", i32 4}
!12 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6, size: 64)
!13 = !{!"compiler version 16"}
!14 = distinct !DISubprogram(name: "square", scope: !3, file: !3, line: 5, type: !15, scopeLine: 5, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !17)
!15 = !DISubroutineType(types: !16)
!16 = !{!5, !5}
!17 = !{!18}
!18 = !DILocalVariable(name: "x", arg: 1, scope: !14, file: !3, line: 5, type: !5)
!19 = !DILocation(line: 0, scope: !14)
!20 = !DILocation(line: 6, column: 12, scope: !14)
!21 = !DILocation(line: 6, column: 3, scope: !14)
!22 = distinct !DISubprogram(name: "caller", scope: !3, file: !3, line: 9, type: !23, scopeLine: 9, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !26)
!23 = !DISubroutineType(types: !24)
!24 = !{!5, !25}
!25 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6, size: 64)
!26 = !{!27, !29}
!27 = !DILocalVariable(name: "slot", scope: !22, file: !3, line: 10, type: !12)
!28 = !DILocation(line: 10, column: 7, scope: !22)
!29 = !DILocalVariable(name: "i", scope: !34, file: !3, line: 11, type: !5)
!30 = !DILocation(line: 0, scope: !34)
!31 = !{!32, !32, i64 0}
!32 = !{!"int", !33, i64 0}
!33 = !{!"Simple C/C++ TBAA"}
!34 = distinct !DILexicalBlock(scope: !22, file: !3, line: 11, column: 3)
!35 = !DILocation(line: 12, column: 5, scope: !34)
!36 = !DILocation(line: 6, column: 12, scope: !14, inlinedAt: !39)
!37 = distinct !{!37, !35, !40}
!38 = !DILocation(line: 14, column: 3, scope: !22)
!39 = distinct !DILocation(line: 13, column: 9, scope: !34)
!40 = !{!"llvm.loop.mustprogress"}
