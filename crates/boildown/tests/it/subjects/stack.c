#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64

/* A stack of numbers, and a calculator that uses it. */
struct stack {
    double items[MAX_DEPTH];
    int depth;
};

static void fail(const char *message) {
    fprintf(stderr, "error: %s\n", message);
    exit(1);
}

static void push(struct stack *stack, double item) {
    if (stack->depth == MAX_DEPTH) {
        fail("the stack is full");
    }
    stack->items[stack->depth++] = item;
}

static double pop(struct stack *stack) {
    if (stack->depth == 0) {
        fail("the stack is empty");
    }
    return stack->items[--stack->depth];
}

static int is_operator(const char *word) {
    return strlen(word) == 1 && strchr("+-*/", word[0]) != NULL;
}

static double apply(char operator, double left, double right) {
    switch (operator) {
    case '+':
        return left + right;
    case '-':
        return left - right;
    case '*':
        return left * right;
    default:
        return right == 0 ? 0 : left / right;
    }
}

int main(int argc, char **argv) {
    struct stack stack = {.depth = 0};
    for (int i = 1; i < argc; i++) {
        if (is_operator(argv[i])) {
            double right = pop(&stack);
            double left = pop(&stack);
            push(&stack, apply(argv[i][0], left, right));
        } else {
            push(&stack, atof(argv[i]));
        }
    }
    while (stack.depth > 0) {
        printf("%g\n", pop(&stack));
    }
    return 0;
}
