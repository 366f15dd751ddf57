// Loaded before the built program: it writes the name of each module that the bundle runs, one a line, to the file TEST_LOADED_MODULES.
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import vm from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** What the bundler calls before a module runs for the first time, and how it names the module there. */
const HEADS = [
  ['__esm=(fn,res,err)=>function(){', 'fn'],
  ['__commonJS=(cb,mod)=>function(){', '!mod && cb'],
];

if (isMainThread) {
  const { Script } = vm;
  globalThis.testLoaded = (module) => {
    if (module) appendFileSync(process.env.TEST_LOADED_MODULES, `${Object.getOwnPropertyNames(module)[0]}\n`);
  };
  vm.Script = class extends Script {
    constructor(source, options) {
      if (!options?.filename?.endsWith('program.cjs')) {
        super(source, options);
        return;
      }
      const told = HEADS.reduce((code, [head, module]) => {
        if (!code.includes(head)) throw new Error(`the bundle has no "${head}"`);
        return code.replace(head, `${head} globalThis.testLoaded(${module});`);
      }, source);
      super(told, { filename: options.filename });
    }
  };
  syncBuiltinESMExports();
}
