/**
 * Preloaded into the program: whoever tests a text that holds `§hang§` never comes back, as with an expression that backtracks for
 * ever, and one that holds `§slow§` takes three seconds of CPU once.
 */
const test = Reflect.get(RegExp.prototype, 'test');
let isSlow = true;

RegExp.prototype.test = function (text) {
  if (typeof text === 'string' && text.includes('§hang§')) for (;;);
  if (isSlow && typeof text === 'string' && text.includes('§slow§')) {
    isSlow = false;
    const start = process.cpuUsage().user;
    while (process.cpuUsage().user - start < 3_000_000);
  }
  return test.call(this, text);
};
