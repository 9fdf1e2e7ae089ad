import matplotlib.pyplot as plt

# Colour-blind safe, agreed with Henrike on 9 June: drought is orange, control blue.
COLOURS = {"drought": "#E69F00", "control": "#0072B2"}


def figure3(data, target="figures/fig3.pdf"):
    fig, axes = plt.subplots(1, 3, figsize=(180 / 25.4, 60 / 25.4), sharey=True)
    for axis, hours in zip(axes, (24, 48, 168)):
        for name, colour in COLOURS.items():
            part = data[(data.hours == hours) & (data.treatment == name)]
            axis.errorbar(part.group, part["mean"], part.se, fmt="o", color=colour, capsize=2)
        axis.set_title(f"{hours} h")
    axes[0].set_ylabel("13C uptake (% of label)")
    fig.savefig(target, bbox_inches="tight")
