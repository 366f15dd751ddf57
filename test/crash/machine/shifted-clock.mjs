// Loaded before the program: a wall clock that is wrong by as many milliseconds as the file named by TEST_CLOCK says.
// The monotonic clock goes on, as it does when somebody sets the time of a machine.
import { readFileSync } from 'node:fs';

const Real = Date;
const offset = () => {
  try {
    return Number(readFileSync(process.env.TEST_CLOCK, 'utf8')) || 0;
  } catch {
    return 0;
  }
};

globalThis.Date = class Date extends Real {
  constructor(...args) {
    if (args.length === 0) super(Real.now() + offset());
    else super(...args);
  }
  static now() {
    return Real.now() + offset();
  }
};
