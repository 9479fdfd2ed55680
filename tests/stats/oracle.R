# Answers of R to the questions of tests/stats/r_test.c: a line each, of a word and numbers.
#
#     f X D1 D2    t X NU    fq P D1 D2    tq P NU    normal Z    nq P
#     welch N1 N2 VALUES    hotelling N1 N2 P VALUES (column by column)    adjust P VALUES

questions <- readLines(commandArgs(trailingOnly = TRUE)[1])

answer <- list(
    f = function(v) c(pf(v[1], v[2], v[3], lower.tail = FALSE),
                      pf(v[1], v[2], v[3], lower.tail = FALSE, log.p = TRUE) / log(10)),
    t = function(v) 2 * pt(abs(v[1]), v[2], lower.tail = FALSE),
    fq = function(v) qf(v[1], v[2], v[3], lower.tail = FALSE),
    tq = function(v) qt(v[1], v[2], lower.tail = FALSE),
    normal = function(v) pnorm(v[1], lower.tail = FALSE),
    nq = function(v) qnorm(v[1], lower.tail = FALSE),
    welch = function(v) {
        base <- v[2 + seq_len(v[1])]
        new <- v[2 + v[1] + seq_len(v[2])]
        test <- t.test(new, base)
        c(test$statistic, test$parameter, test$p.value)
    },
    hotelling = function(v) {
        n1 <- v[1]; n2 <- v[2]; p <- v[3]; n <- n1 + n2
        x <- matrix(v[-(1:3)], nrow = n)
        base <- x[seq_len(n1), , drop = FALSE]
        new <- x[n1 + seq_len(n2), , drop = FALSE]
        pooled <- ((n1 - 1) * cov(base) + (n2 - 1) * cov(new)) / (n - 2)
        d <- colMeans(new) - colMeans(base)
        unit <- sqrt(diag(pooled))
        t2 <- n1 * n2 / n * sum(d / unit * solve(pooled / outer(unit, unit), d / unit, tol = 1e-30))
        f <- (n - p - 1) / ((n - 2) * p) * t2
        c(t2, f, pf(f, p, n - p - 1, lower.tail = FALSE, log.p = TRUE) / log(10))
    },
    adjust = function(v) c(p.adjust(v, "BH"), p.adjust(v, "holm"))
)

for (question in questions) {
    words <- strsplit(question, " ", fixed = TRUE)[[1]]
    cat(sprintf("%.17g", answer[[words[1]]](as.numeric(words[-1]))), sep = "\n")
}
