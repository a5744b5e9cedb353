// Stands in for a part of the MCP server library in the bundle. Its own JSON Schema validator, a second copy of Ajv, is for
// answers to questions; we read and check those ourselves, so a start needn't load it.
import process from "node:process";

export { process };

export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error("This build has no validator for the MCP library.");
  }
}
