import { config } from 'zod';

// Otherwise zod compiles a function for each schema that parses an object for the first time: of a start, up to a tenth. Hardly any schema
// parses so often that this is made up for.
config({ jitless: true });
