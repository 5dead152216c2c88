"""A bag of words."""

import pytest
from pictures import export_style, painted
from PySide6.QtCore import QSizeF

from posenc_gui.figures.bag import EXAMPLE, BagFigure, bag_words


def test_words_without_an_order_are_replaced():
    assert bag_words(["a", "b", "c", "d", "e"]) == ("a", "b", "c", "d")
    assert bag_words(["alone"]) == EXAMPLE
    assert bag_words(["so", "so", "so"]) == EXAMPLE
    assert bag_words(["a", "x" * 50]) == EXAMPLE
    assert bag_words(["a", "\u200b"]) == ("a", "U+200B")


def columns_with(image, row):
    ground = export_style().background.rgb()
    return [x for x in range(image.width()) if image.pixel(x, row) != ground]


def test_both_orders_stand_above_the_bag_which_is_in_the_middle():
    image = painted(BagFigure(("one", "two", "three")), QSizeF(600, 300), scale=1)
    above, bag = columns_with(image, 30), columns_with(image, 240)
    assert min(above) < 200
    assert max(above) > 400
    assert (min(bag) + max(bag)) / 2 == pytest.approx(300, abs=3)
    assert image.pixelColor(300, 285) == export_style().masked
    assert image.pixelColor(300, 5) == export_style().background


def test_it_is_in_the_middle_of_a_picture_that_is_higher_than_it_needs():
    image = painted(BagFigure(EXAMPLE), QSizeF(600, 900), scale=1)
    assert not columns_with(image, 150)
    assert not columns_with(image, 750)
    assert columns_with(image, 450)


def test_it_is_drawn_smaller_where_there_is_little_room():
    figure, style = BagFigure(EXAMPLE), export_style()
    assert figure.height_for(100, style) < figure.height_for(500, style) / 3
    image = painted(figure, QSizeF(40, 20), scale=1)
    assert any(columns_with(image, row) for row in range(20))
