// Loaded before the program: a disk that fails for as long as the file named by TEST_DISK says so.
// It holds an error code and how many calls still succeed: "EIO 12". Empty or absent: the disk works.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { readFileSync, statSync } = fs;
const control = process.env.TEST_DISK;
let [known, code, left] = ['', '', 0];

/** Throws when the disk fails by now. */
function step(name) {
  let said = '';
  try {
    said = `${statSync(control).mtimeNs ?? statSync(control).mtimeMs} ${readFileSync(control, 'utf8')}`;
  } catch {
    // Absent.
  }
  if (said !== known) {
    known = said;
    const [, error = '', calls = '0'] = said.trim().split(/\s+/);
    [code, left] = [error, Number(calls)];
  }
  if (code === '' || left-- > 0) return;
  throw Object.assign(new Error(`${code}: the disk fails, ${name}`), { code, syscall: name });
}

const changing = ['linkSync', 'mkdirSync', 'renameSync', 'rmdirSync', 'unlinkSync', 'ftruncateSync', 'fchmodSync', 'futimesSync'];
for (const name of changing) {
  const real = fs[name];
  fs[name] = (...args) => {
    step(name);
    return real(...args);
  };
}
const { writeSync, openSync, fsync } = fs;
fs.writeSync = (fd, ...args) => {
  if (fd > 2) step('writeSync');
  return writeSync(fd, ...args);
};
fs.openSync = (path, flags, ...rest) => {
  if (typeof flags === 'number' && (flags & (fs.constants.O_CREAT | fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0) step('openSync');
  return openSync(path, flags, ...rest);
};
fs.fsync = (fd, done) => {
  try {
    step('fsync');
  } catch (error) {
    process.nextTick(done, error);
    return;
  }
  fsync(fd, done);
};
syncBuiltinESMExports();
