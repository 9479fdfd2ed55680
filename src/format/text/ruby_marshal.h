/* ruby_marshal.h - values as Ruby's Marshal.dump writes them, as JSON.
 *
 *     \4\b                         version 4.8
 *     {\6                          a hash of 1 pair (numbers of one byte are 5 more than they are)
 *     :\nmode                      a symbol, number 0; ;\0 is the same again
 *     I"\babc\6:\6ET               a string with 1 variable, its encoding
 *     l+\b...                      an integer of more than 31 bits; f: a float as text
 *     @\6                          object 1 again, of all that are no symbol or small number
 *
 * It is what stackprof writes. Objects of classes are refused. */
#ifndef FLAMEL_FORMAT_TEXT_RUBY_MARSHAL_H
#define FLAMEL_FORMAT_TEXT_RUBY_MARSHAL_H

#include "base/text/text.h"
#include "flamel/error.h"

#define FLM_RUBY_MARSHAL_MAGIC "\4\b"

/* Appends the value to `json`; keys become strings. False, and `why`, if it is malformed, has what
 * JSON has not, or memory ran out. */
bool flm_ruby_marshal_to_json(struct flm_bytes in, struct flm_text *json, struct flm_error *why);

#endif
