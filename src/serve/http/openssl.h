/* openssl.h - the functions of OpenSSL that tls.c uses, as libssl has had them since 1.1.0:
 * loaded when they are needed (os/library.h), so that neither its headers nor the library need
 * be there. */
#ifndef FLAMEL_SERVE_HTTP_OPENSSL_H
#define FLAMEL_SERVE_HTTP_OPENSSL_H

#include <stddef.h>

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_method_st SSL_METHOD;

/* Chooses one of the protocols that a client offers: each a size in a byte, and so many bytes. */
typedef int (*flm_alpn_select)(SSL *ssl, const unsigned char **out, unsigned char *out_size,
                               const unsigned char *offered, unsigned size, void *context);

enum {
    FLM_SSL_FILE_PEM = 1,
    FLM_SSL_CTRL_MODE = 33,
    FLM_SSL_CTRL_SET_MIN_PROTO_VERSION = 123,
    FLM_SSL_MODE_ENABLE_PARTIAL_WRITE = 1,
    FLM_SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER = 2,
    FLM_SSL_MODE_RELEASE_BUFFERS = 16,
    FLM_TLS1_2_VERSION = 0x0303,
    FLM_SSL_ERROR_WANT_READ = 2,
    FLM_SSL_ERROR_WANT_WRITE = 3,
    FLM_SSL_ERROR_ZERO_RETURN = 6,
    FLM_SSL_TLSEXT_ERR_OK = 0,
    FLM_SSL_TLSEXT_ERR_NOACK = 3
};

struct flm_openssl {
    const SSL_METHOD *(*server_method)(void);
    SSL_CTX *(*context_new)(const SSL_METHOD *method);
    void (*context_free)(SSL_CTX *context);
    int (*use_chain)(SSL_CTX *context, const char *file);
    int (*use_key)(SSL_CTX *context, const char *file, int type);
    int (*check_key)(const SSL_CTX *context);
    long (*context_ctrl)(SSL_CTX *context, int command, long number, void *pointer);
    void (*set_alpn)(SSL_CTX *context, flm_alpn_select select, void *of_select);
    SSL *(*new)(SSL_CTX *context);
    void (*free)(SSL *ssl);
    int (*set_file)(SSL *ssl, int file);
    void (*accept)(SSL *ssl);
    int (*handshake)(SSL *ssl);
    int (*read)(SSL *ssl, void *to, int size);
    int (*write)(SSL *ssl, const void *from, int size);
    int (*shutdown)(SSL *ssl);
    int (*error)(const SSL *ssl, int result);
    void (*alpn)(const SSL *ssl, const unsigned char **protocol, unsigned *size);
    unsigned long (*next_error)(void); /* of the thread; 0: there is none */
    void (*describe)(unsigned long error, char *text, size_t size);
    void (*clear_errors)(void);
};

/* In the order of the structure. */
#define FLM_OPENSSL_NAMES                                                                          \
    "TLS_server_method", "SSL_CTX_new", "SSL_CTX_free", "SSL_CTX_use_certificate_chain_file",      \
        "SSL_CTX_use_PrivateKey_file", "SSL_CTX_check_private_key", "SSL_CTX_ctrl",                \
        "SSL_CTX_set_alpn_select_cb", "SSL_new", "SSL_free", "SSL_set_fd", "SSL_set_accept_state", \
        "SSL_do_handshake", "SSL_read", "SSL_write", "SSL_shutdown", "SSL_get_error",              \
        "SSL_get0_alpn_selected", "ERR_get_error", "ERR_error_string_n", "ERR_clear_error"

#endif
