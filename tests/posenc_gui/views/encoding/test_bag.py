"""The picture of ``none``."""


def test_the_words_of_the_text_and_turned(picture_of):
    picture = picture_of("none")
    assert picture.canvas.words == ("one", "two", "three", "four")
    assert "‘one two three four’ and ‘four three two one’ are the same" in picture.sentence.text()


def test_its_ground_is_that_of_pictures(picture_of):
    picture = picture_of("none")
    canvas = picture.canvas
    assert canvas.grab().toImage().pixelColor(1, 1) == canvas.palette().base().color()
