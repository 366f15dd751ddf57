import { describe, expect, it } from 'vitest';
import { effort, upTo } from '../../support/effort.ts';
