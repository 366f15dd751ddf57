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
    // The clock is asked seldom: asking takes time of the system, which does not count here.
    for (let turns = 1; turns % 1_000_000 !== 0 || process.cpuUsage().user - start < 3_000_000; turns++);
  }
  return test.call(this, text);
};
