# Chapter 2, final model. brms since May 2026, see chat and stats notes.
library(brms)

d <- read.csv("data/resp_clean.csv")
d$block <- factor(d$block)

fit <- brm(
  log(resp) ~ drought * inoculum + s(day, k = 5) + (1 | block / jar),
  data = d, family = student(),
  prior = c(set_prior("normal(0, 0.5)", class = "b"),
            set_prior("exponential(2)", class = "sd")),
  chains = 4, iter = 4000, seed = 1848,
  control = list(adapt_delta = 0.97)
)
saveRDS(fit, "models/legacy_student.rds")
