// Makes a Node.js program fork for each candidate, before its script begins. The protocol is described
// in docs/reference/harness.md, the functions that JavaScript does not have are in `zygote.c`.
//
// The first request is the input. Its process says at its end which modules it has loaded, and this
// one loads them too, so that later processes have them from the start.
"use strict";

{
    const addon = { exports: {} };
    process.dlopen(addon, process.env.BOILDOWN_WARM_NODE);
    delete process.env.BOILDOWN_WARM_NODE;
    const { serve, ending } = addon.exports;

    const fs = require("fs");
    const { Module } = require("module");
    const threads = () => fs.readdirSync("/proc/self/task").length;

    const known = new Set(Object.keys(Module._cache));
    let served = serve();
    if (typeof served === "string") {
        const before = threads();
        for (const file of served.split("\0").filter(Boolean)) {
            try {
                Module._load(file, null, false);
            } catch {
                // The program gets the error when it loads the module itself.
                delete Module._cache[file];
            }
        }
        served = serve(threads() > before);
    }

    // The process of a candidate goes on from here.
    const pid = Number(fs.readlinkSync("/proc/self"));
    Object.defineProperty(process, "pid", { value: pid, enumerable: true, configurable: true });
    process.execArgv.length = 0;
    const directory = process.cwd();
    const report = () => {
        const files = Object.keys(Module._cache).filter(
            (file) => !known.has(file) && !file.startsWith(directory + "/") && file !== process.argv[1]
        );
        if (served >= 0) {
            fs.writeSync(served, files.join("\0"));
            fs.closeSync(served);
            served = -1;
        }
    };
    const emit = process.emit;
    const hidden = (name, value) =>
        Object.defineProperty(process, name, { value, writable: true, configurable: true });
    hidden("emit", function (event, code, ...rest) {
        const result = Reflect.apply(emit, this, [event, code, ...rest]);
        if (event === "exit") {
            ending(Number(process.exitCode ?? code) & 255);
            report();
        }
        return result;
    });
    const reallyExit = process.reallyExit;
    hidden("reallyExit", function (code) {
        ending(Number(code ?? 0) & 255);
        reallyExit.call(process, code);
    });
}
