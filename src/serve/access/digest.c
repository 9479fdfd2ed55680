#include "serve/access/digest.h"

#include "os/library.h"

/* As OpenSSL has declared it since 0.9. */
struct functions {
    unsigned char *(*sha256)(const unsigned char *bytes, size_t size, unsigned char *digest);
};

bool flm_digest(struct flm_bytes bytes, unsigned char digest[FLM_DIGEST_SIZE],
                struct flm_error *why)
{
    static const char *const files[] = {"libcrypto.so.3", "libcrypto.so.1.1", NULL};
    static const char *const names[] = {"SHA256", NULL};
    struct functions openssl;
    struct flm_error reason = {0};
    if (!flm_library_open(files, names, &openssl, &reason))
        return flm_error_set(why, FLM_ERROR_SYSTEM, "tokens need OpenSSL (libssl3): %s",
                             reason.text);
    return openssl.sha256((const unsigned char *)bytes.at, bytes.size, digest) != NULL ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "OpenSSL has no SHA-256 here");
}
